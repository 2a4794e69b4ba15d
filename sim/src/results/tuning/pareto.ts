/** Which points no other point beats. */

export interface Costs {
  /** Less is better, of both. */
  readonly x: number;
  readonly y: number;
}

/** Indices of the points than which no other is better in one and no worse in the other, in order of x. */
export function paretoFront(points: readonly Costs[]): readonly number[] {
  const order = points.map((_, i) => i).sort((a, b) => points[a]!.x - points[b]!.x || points[a]!.y - points[b]!.y);
  let lowest = Number.POSITIVE_INFINITY;
  let last: Costs | undefined;
  return order.filter((i) => {
    const point = points[i]!;
    // Points that coincide are all on the front or none of them is.
    const isTwin = last !== undefined && point.x === last.x && point.y === last.y;
    if (!isTwin && point.y >= lowest) return false;
    lowest = point.y;
    last = point;
    return true;
  });
}
