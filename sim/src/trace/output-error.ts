/**
 * Results cannot be written where they were asked for. Not a defect: its message names the path, the cause and what to
 * do about it.
 */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}
