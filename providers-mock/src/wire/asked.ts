/**
 * What a request asks for, whatever its dialect; and the reading of values that a caller may have got wrong. A request that
 * cannot be read is the caller's fault and said in a sentence that names the member.
 */

export interface Asked {
  readonly model: string;
  readonly stream: boolean;
  /** A stream tells the usage in a frame of its own. */
  readonly wantsUsage: boolean;
  /** Estimated from the text: four bytes a token. */
  readonly inputTokens: number;
  /** Of these, the ones out of the prompt cache, which only a test can state. Default 0. */
  readonly cachedTokens?: number;
  /** Answers that are asked for at once, each as long as any; whole, ≥ 1. Default 1. */
  readonly choices?: number;
  /** What an answer may have at most; null = the request does not say. */
  readonly maxTokens: number | null;
  /** The tool that the answer calls; null = the answer is text. */
  readonly tool: AskedTool | null;
}

export interface AskedTool {
  readonly name: string;
  /** A JSON Schema, as far as the caller made it one. */
  readonly schema: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The request is not one that the dialect knows. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest';
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member `name`, where it is an object; otherwise one without members. */
export function objectAt(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return isObject(value) ? value : {};
}

/** The member `name`, where it is a list; otherwise an empty one. */
export function listAt(from: JsonObject, name: string): readonly unknown[] {
  const value = from[name];
  return Array.isArray(value) ? value : [];
}

/** @throws MalformedRequest unless the member is a string with something in it. */
export function textAt(from: JsonObject, name: string): string {
  const value = from[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new MalformedRequest(`${name}: must be a string that is not empty, got ${told(value)}`);
}

/** False where there is none. @throws MalformedRequest for anything that is no boolean. */
export function flagAt(from: JsonObject, name: string): boolean {
  const value = from[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw new MalformedRequest(`${name}: must be true or false, got ${told(value)}`);
}

/** The first of the spellings that is there, else null. @throws MalformedRequest unless it is a whole number ≥ 1. */
export function countAt(from: JsonObject, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = from[name] ?? null;
    if (value === null) continue;
    if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
    throw new MalformedRequest(`${name}: must be a whole number of at least 1, got ${told(value)}`);
  }
  return null;
}

/** @throws MalformedRequest unless the member is a list of objects with at least one in it. */
export function turnsAt(from: JsonObject, name: string): readonly JsonObject[] {
  const value = from[name];
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return value;
  throw new MalformedRequest(`${name}: must be a list of objects with at least one in it, got ${told(value)}`);
}

function told(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
