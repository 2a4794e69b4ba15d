/**
 * How a cap finds the provider's concurrency limit, at the start and after each change of it.
 *
 * A phase is a stretch with one limit; it is judged while the limit binds, that is from the first to the last instant at
 * which at least as many requests are open as the provider takes. The cap is *near* when it differs from the limit by no
 * more than a quarter of it, or by one request where that is more: the reference's own breathing stays within. It has
 * *settled* at the first instant at which it is near and from which on it is near for nine tenths of the rest of the
 * phase. The *overshoot* is the most by which the cap exceeds the limit after it was first at or below it, as a share of
 * the limit: a cap that starts too high is late, one that climbs past the limit overshoots.
 */

import type { LimitStep } from './limits.js';
import { type Level, sweep, type Window } from './spans.js';
import { NOTHING, phasesIn } from './utilisation.js';

export interface CapStep {
  readonly t: number;
  readonly cap: number;
}

export interface PhaseFigures {
  readonly key: string;
  /** When the limit came to bind: the start of the phase, or of the demand. */
  readonly fromMs: number;
  readonly limit: number;
  /** From then on; null where the cap never settled. */
  readonly settledMs: number | null;
  /** How often the cap fell before it settled; all falls of the phase where it never did. */
  readonly cuts: number;
  readonly overshoot: number;
}

const NEAR = 0.25;
const FOR_MOST = 0.9;

/**
 * The phases of one key in which its limit bound.
 * @param caps in order of time, the first at 0.
 */
export function phaseFigures(
  key: string,
  caps: readonly CapStep[],
  limits: readonly LimitStep[],
  open: Level,
  window: Window,
): readonly PhaseFigures[] {
  return phasesIn(limits, window).flatMap(({ limit, ...phase }) => {
    const demand = demandWithin(open, limit, phase);
    if (demand === undefined) return [];
    const levels = levelsWithin(caps, demand);
    const settledAt = settling(levels, limit);
    return [
      {
        key,
        fromMs: demand.from,
        limit,
        settledMs: settledAt === null ? null : settledAt - demand.from,
        cuts: levels.filter(({ from, cap }, i) => i > 0 && cap < levels[i - 1]!.cap && from <= (settledAt ?? from))
          .length,
        overshoot: overshoot(levels, limit),
      },
    ];
  });
}

/** From the first to the last instant of the phase at which the limit binds. */
function demandWithin(open: Level, limit: number, phase: Window): Window | undefined {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  sweep(open, NOTHING, phase, (start, end, level) => {
    if (level < Math.max(1, limit)) return;
    from = Math.min(from, start);
    to = end;
  });
  return to > from ? { from, to } : undefined;
}

interface CapLevel extends Window {
  readonly cap: number;
}

function levelsWithin(caps: readonly CapStep[], { from, to }: Window): readonly CapLevel[] {
  return caps.flatMap(({ t, cap }, i) => {
    const level = { from: Math.max(from, t), to: Math.min(to, caps[i + 1]?.t ?? to), cap };
    return level.to > level.from ? [level] : [];
  });
}

function settling(levels: readonly CapLevel[], limit: number): number | null {
  const isNear = (cap: number): boolean => Math.abs(cap - limit) <= Math.max(1, NEAR * limit);
  let [near, rest] = [0, 0];
  let settledAt: number | null = null;
  for (const { from, to, cap } of levels.toReversed()) {
    rest += to - from;
    if (!isNear(cap)) continue;
    near += to - from;
    if (near >= FOR_MOST * rest) settledAt = from;
  }
  return settledAt;
}

function overshoot(levels: readonly CapLevel[], limit: number): number {
  const first = levels.findIndex(({ cap }) => cap <= limit);
  if (first < 0 || limit === 0) return 0;
  const highest = levels.slice(first).reduce((most, { cap }) => Math.max(most, cap), limit);
  return (highest - limit) / limit;
}
