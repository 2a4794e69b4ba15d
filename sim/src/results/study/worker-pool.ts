/** Worker threads that run the cells of a study. A thread that dies fails its own task alone; another takes its place. */

import { Piscina } from 'piscina';
import type { RunRow, RunTask } from './run-row.js';

/** Where the runs of a study are done. */
export interface Workers {
  readonly count: number;
  /** Rejects when whoever did it died. */
  run(task: RunTask): Promise<readonly RunRow[]>;
  /** Ends them at once, whatever they are doing. */
  close(): Promise<void>;
}

/** @param count Threads; whole number ≥ 1. */
export function workerThreads(count: number): Workers {
  const pool = new Piscina<RunTask, readonly RunRow[]>({
    filename: new URL('./cell-worker.js', import.meta.url).href,
    minThreads: count,
    maxThreads: count,
  });
  return {
    count,
    run: (task) => pool.run(task),
    close: () => pool.destroy(),
  };
}
