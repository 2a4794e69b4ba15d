/**
 * Makes a chart light enough to draw: a series of more than 4 000 points keeps, in each of 800 equal slices of x, its
 * first, lowest, highest and last point and the first of its gaps. Every peak stays a peak, a step keeps its level at
 * each slice's edges, and no slice is wider than two pixels of the widest page. Bands of one label that no eye can tell
 * apart become one. Never moves a point, never invents one.
 */

import type { LineChart, Series } from './report.js';

export type Point = Series['points'][number];
export type Band = LineChart['bands'][number];

/** Above this many points a series is thinned; 800 slices of five points stay below it. */
const MOST_POINTS = 4000;
const SLICES = 800;

/** `points` are in order of x. */
export function thinPoints(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_POINTS) return points;
  const start = points[0]![0];
  const width = (points.at(-1)![0] - start) / SLICES || 1;
  const sliceOf = (i: number): number => Math.min(SLICES - 1, Math.floor((points[i]![0] - start) / width));
  const kept: Point[] = [];
  let from = 0;
  while (from < points.length) {
    const slice = sliceOf(from);
    let to = from + 1;
    while (to < points.length && sliceOf(to) === slice) to++;
    kept.push(...outline(points, from, to));
    from = to;
  }
  return kept;
}

/** The points of [from, to) that carry the slice's shape, in their order. */
function outline(points: readonly Point[], from: number, to: number): Point[] {
  let lowest = -1;
  let highest = -1;
  let gap = -1;
  for (let i = from; i < to; i++) {
    const y = points[i]![1];
    if (y === null) {
      if (gap < 0) gap = i;
      continue;
    }
    if (lowest < 0 || y < points[lowest]![1]!) lowest = i;
    if (highest < 0 || y > points[highest]![1]!) highest = i;
  }
  const chosen = new Set([from, lowest, highest, gap, to - 1].filter((i) => i >= 0));
  return [...chosen].sort((a, b) => a - b).map((i) => points[i]!);
}

/** Joins bands of one label and tone whose distance is below a thousandth of `span`. */
export function mergeBands(bands: readonly Band[], span: number): readonly Band[] {
  const open = new Map<string, number>();
  const merged: Band[] = [];
  for (const band of [...bands].sort((a, b) => a.from - b.from)) {
    const kind = JSON.stringify([band.label, band.tone]);
    const at = open.get(kind);
    const last = at === undefined ? undefined : merged[at];
    if (at !== undefined && last !== undefined && band.from - last.to <= span / 1000) {
      merged[at] = { ...last, to: Math.max(last.to, band.to) };
    } else {
      open.set(kind, merged.push(band) - 1);
    }
  }
  return merged;
}

export function thinLines(chart: LineChart): LineChart {
  const series = chart.series.map((one) => ({ ...one, points: thinPoints(one.points) }));
  const xs = series.flatMap((one) => one.points.map(([x]) => x));
  const span = xs.reduce((a, x) => Math.max(a, x), 0) - xs.reduce((a, x) => Math.min(a, x), 0);
  return { ...chart, series, bands: mergeBands(chart.bands, span) };
}
