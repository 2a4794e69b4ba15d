/** What ends a study early, as an exit code. */

import { StudyInterrupted } from '../results/study/study.js';
import { OutputError } from '../trace/output-error.js';
import { EXIT, type ExitCode } from './exit-codes.js';

/** Runs the study; an interrupt and a place that takes no results are no defects. */
export async function guarded(study: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await study();
  } catch (error) {
    if (error instanceof StudyInterrupted) return EXIT.interrupted;
    if (!(error instanceof OutputError)) throw error;
    console.error(error.message);
    return EXIT.usage;
  }
}
