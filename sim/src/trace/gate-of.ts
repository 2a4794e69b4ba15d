/**
 * The name of a gate. A process has one governor, and that has one gate per key: `provider/model` in the process that a
 * scenario has anyway, `provider/model@process` in one that it names.
 */
export function gateOf({ key, process }: { readonly key: string; readonly process?: string | undefined }): string {
  return process === undefined ? key : `${key}@${process}`;
}
