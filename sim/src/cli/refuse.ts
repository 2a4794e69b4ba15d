/** Bad usage, said once on stderr. */

import { EXIT, type ExitCode } from './exit-codes.js';

export function refuse(message: string): ExitCode {
  console.error(message);
  return EXIT.usage;
}
