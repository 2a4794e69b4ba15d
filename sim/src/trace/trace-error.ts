/** The file is no trace; the message names the file, the line and what was expected. */
export class TraceError extends Error {
  override readonly name = 'TraceError';
}
