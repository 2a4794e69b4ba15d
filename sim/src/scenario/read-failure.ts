/**
 * Why a file could not be read, in words a person acts on.
 */

/** A system error in words, anything else by its message. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file';
    case 'EISDIR':
      return 'it is a directory';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    default:
      return typeof message === 'string' ? message : 'unknown reason';
  }
}
