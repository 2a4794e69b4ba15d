/** Differences of millisecond doubles miss their microsecond by a rounding error; the trace has whole ones. */
export function wholeMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
