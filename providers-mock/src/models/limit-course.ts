/**
 * One reason why a limit is now another than the one stated. Courses stand in a row: each is told the limit that the one
 * before it gives, and gives its own.
 */

export interface LimitCourse {
  /** The limit from `nowUs` until `changesAtUs`. Asked with times that never go back. */
  limitAt(nowUs: number, given: number): number;
  /** When it may change next, after the time last asked for; Infinity = never. */
  readonly changesAtUs: number;
  /** The most that it ever gives. */
  highest(given: number): number;
  /** Used by a successful request, in the quota's units. */
  used?(amount: number): void;
}
