export function withOutputs(page: string): string;
