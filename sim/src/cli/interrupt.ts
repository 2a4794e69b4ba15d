/** Ctrl-C, and how a supervisor asks a process to end: the first asks for an end, the second ends the process at once. */

import { EXIT } from './exit-codes.js';

const ENDING = ['SIGINT', 'SIGTERM'] as const;

export interface Interrupt {
  /** Fires with the first. */
  readonly signal: AbortSignal;
  /** Listens no more: the process ends as it would by itself. */
  release(): void;
}

/** @param notice what the first does, for stderr: `keeping what is there`. */
export function listenForInterrupt(notice: string): Interrupt {
  const controller = new AbortController();
  const hear = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    console.error(`${notice}; once more to end at once`);
    controller.abort();
  };
  for (const signal of ENDING) process.on(signal, hear);
  return {
    signal: controller.signal,
    release() {
      for (const signal of ENDING) process.off(signal, hear);
    },
  };
}
