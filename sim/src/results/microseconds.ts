/**
 * Sums of a trace's times. They are whole microseconds written in milliseconds, and doubles add milliseconds with an
 * error that grows; whole microseconds add exactly, for 285 years.
 */
export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000);
}

/** `later - earlier` in milliseconds, to the microsecond. */
export function distanceMs(earlier: number, later: number): number {
  return toMicroseconds(later - earlier) / 1000;
}
