/**
 * How much of what a provider offers was used, of one quota.
 *
 * A concurrency quota is used by the attempts that it admitted, from dispatch to answer, and could have been used by as
 * many requests as were open (queued, in flight or in a backoff): `∫ min(served, limit) / ∫ min(open, limit)`. So a tail in
 * which the work runs out costs nothing, and a request that sleeps while there is room does.
 *
 * A quota over a window could have been used in full as long as a request was open: what was served, in requests or
 * tokens, over `limit / window × that time`, and a full window more where the measuring begins with the run.
 */

import type { LimitedQuota, LimitStep } from './limits.js';
import { type Level, sweep, type Window } from './spans.js';

/** What the keys did that share a quota. */
export interface Use {
  /** Attempts that the provider took, from dispatch to answer. */
  readonly served: Level;
  /** Requests, from first queueing to the end of their last attempt. */
  readonly open: Level;
  /** Of the attempts that ended within the window of measuring. */
  readonly amounts: Amounts;
}

export interface Amounts {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
}

/** A share of 1; null where nobody could have used anything. */
export function quotaUse(quota: LimitedQuota, use: Use, window: Window): number | null {
  const [used, usable] =
    quota.spec.kind === 'concurrency'
      ? placesUsed(quota.steps, use, window)
      : amountsUsed(quota.spec, quota.steps, use, window);
  return usable > 0 ? used / usable : null;
}

/** The time in which at least one request was open. */
export function openTime(open: Level, window: Window): number {
  let total = 0;
  sweep(open, NOTHING, window, (start, end, level) => {
    if (level > 0) total += end - start;
  });
  return total;
}

export const NOTHING: Level = { starts: new Float64Array(0), ends: new Float64Array(0) };

function placesUsed(steps: readonly LimitStep[], { served, open }: Use, window: Window): [number, number] {
  let used = 0;
  let usable = 0;
  for (const { limit, ...phase } of phasesIn(steps, window)) {
    sweep(served, open, phase, (start, end, takenNow, openNow) => {
      used += Math.min(takenNow, limit) * (end - start);
      usable += Math.min(openNow, limit) * (end - start);
    });
  }
  return [used, usable];
}

type WindowQuota = Exclude<LimitedQuota['spec'], { readonly kind: 'concurrency' }>;

function amountsUsed(
  spec: WindowQuota,
  steps: readonly LimitStep[],
  { open, amounts }: Use,
  window: Window,
): [number, number] {
  const full = spec.refill === 'token-bucket' ? spec.burst : (steps[0]?.limit ?? 0);
  const refilled = phasesIn(steps, window).reduce(
    (sum, { limit, ...phase }) => sum + (limit / spec.perMs) * openTime(open, phase),
    0,
  );
  return [amountOf(spec, amounts), (window.from > 0 ? 0 : full) + refilled];
}

function amountOf(spec: WindowQuota, { requests, input, output }: Amounts): number {
  if (spec.kind === 'requests') return requests;
  switch (spec.counts) {
    case 'input':
      return input;
    case 'output':
      return output;
    case 'total':
      return input + output * (spec.outputWeight ?? 1);
    default:
      return spec.counts satisfies never;
  }
}

/** The steps that hold within the window, each with its end. */
export function phasesIn(
  steps: readonly LimitStep[],
  { from, to }: Window,
): readonly (Window & { readonly limit: number })[] {
  return steps.flatMap(({ fromMs, limit }, i) => {
    const phase = { from: Math.max(from, fromMs), to: Math.min(to, steps[i + 1]?.fromMs ?? to), limit };
    return phase.to > phase.from ? [phase] : [];
  });
}
