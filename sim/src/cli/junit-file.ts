/** Writes `--junit FILE`, and says on stderr where it cannot. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type JunitSuite, toJunit } from '../results/to-junit.js';

/** False if it could not be written. Makes the folder if need be. */
export function writeJunit(file: string, suites: readonly JunitSuite[]): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, toJunit(suites));
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`${file}: the JUnit file cannot be written (${reason}); choose another place with --junit FILE`);
    return false;
  }
}
