/**
 * The limits that a provider may have, each as a way to count: what an attempt takes, and how it comes back. A walk through
 * the steps of a history gives for each attempt what would have been spent with it, which a limit must tell apart.
 */

import { doubtOf } from './lateness.js';
import { BucketMeter, FixedWindowMeter, InFlightMeter, type Meter, SlidingWindowMeter } from './meters.js';
import type { Doubt, Steps } from './steps.js';
import { type Amounts, bestThreshold, type Threshold } from './threshold.js';

/** What an attempt takes when it is let in, and what it has used in the end. */
export interface Cost {
  readonly kind: 'requests' | 'tokens';
  readonly counts: 'input' | 'output' | 'total';
  readonly reserve: 'none' | 'estimate' | 'max-tokens';
  taken(steps: Steps, i: number): number;
  used(steps: Steps, i: number): number;
}

const whole = { counts: 'total', reserve: 'none' } as const;
const inputOf = (steps: Steps, i: number): number => steps.input[i] as number;
const outputOf = (steps: Steps, i: number): number => steps.output[i] as number;
const maxOf = (steps: Steps, i: number): number => steps.max[i] as number;
const totalOf = (steps: Steps, i: number): number => inputOf(steps, i) + outputOf(steps, i);
const one = (): number => 1;
const nothing = (): number => 0;

export const REQUESTS: Cost = { kind: 'requests', ...whole, taken: one, used: one };

/** In the order of their likelihood. */
export const TOKENS: readonly Cost[] = [
  { kind: 'tokens', counts: 'total', reserve: 'estimate', taken: inputOf, used: totalOf },
  {
    kind: 'tokens',
    counts: 'total',
    reserve: 'max-tokens',
    taken: (s, i) => inputOf(s, i) + maxOf(s, i),
    used: totalOf,
  },
  { kind: 'tokens', counts: 'input', reserve: 'estimate', taken: inputOf, used: inputOf },
  { kind: 'tokens', counts: 'output', reserve: 'max-tokens', taken: maxOf, used: outputOf },
  { kind: 'tokens', counts: 'total', reserve: 'none', taken: nothing, used: totalOf },
  { kind: 'tokens', counts: 'output', reserve: 'none', taken: nothing, used: outputOf },
];

export type Refill =
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'fixed-window'; readonly perMs: number; readonly phaseMs: number }
  | { readonly kind: 'sliding-window'; readonly perMs: number }
  /** `rate`: units per millisecond. */
  | { readonly kind: 'token-bucket'; readonly rate: number };

export interface Hypothesis {
  readonly cost: Cost;
  readonly refill: Refill;
}

/** @param offMs how far the provider's clock may be off. */
export function meterOf(refill: Refill, offMs: number): Meter {
  switch (refill.kind) {
    case 'in-flight':
      return new InFlightMeter();
    case 'fixed-window':
      return new FixedWindowMeter(refill.perMs, refill.phaseMs, offMs);
    case 'sliding-window':
      return new SlidingWindowMeter(refill.perMs);
    case 'token-bucket':
      return new BucketMeter(refill.rate);
  }
}

/** What is seen of an attempt when it asks: what would be spent with it. */
export type SeeAsking = (i: number, spentWithIt: number, meter: Meter) => void;

/** Goes through the steps; a request needs room for one unit at least. */
export function walk(steps: Steps, { cost, refill }: Hypothesis, see: SeeAsking): void {
  const { order, sentMs, endMs, isRefused, isEvidence, lateMs } = steps;
  const meter = meterOf(refill, lateMs / 2);
  const handles = new Float64Array(sentMs.length);
  for (const step of order) {
    const i = step < 0 ? ~step : step;
    if (step >= 0) {
      const t = sentMs[i] as number;
      const taken = cost.taken(steps, i);
      see(i, meter.spent(t) + Math.max(1, taken), meter);
      if (isRefused[i] === 0) handles[i] = meter.take(t, taken);
    } else if (isRefused[i] === 0) {
      const taken = cost.taken(steps, i);
      // Of a failure nobody knows what it used; what was reserved stays spent.
      const used = isEvidence[i] === 1 ? cost.used(steps, i) : taken;
      meter.settle(handles[i] as number, endMs[i] as number, taken, used);
    }
  }
}

/** What the ways to a provider and back leave open of what is spent under a hypothesis. */
export function doubtUnder(steps: Steps, { cost, refill }: Hypothesis): Doubt {
  const isInFlight = refill.kind === 'in-flight';
  const key = isInFlight ? PLACES : cost;
  const known = steps.doubts.get(key);
  if (known !== undefined) return known;
  const made = isInFlight
    ? doubtOf(
        steps,
        () => 1,
        () => -1,
      )
    : doubtOf(
        steps,
        (i) => cost.taken(steps, i),
        (i) => (steps.isEvidence[i] === 1 ? cost.used(steps, i) - cost.taken(steps, i) : 0),
      );
  steps.doubts.set(key, made);
  return made;
}

/** The key of the doubts about requests in flight. */
const PLACES = {};

/** What each attempt that is evidence says of the limit. */
export function amountsOf(steps: Steps, hypothesis: Hypothesis, isCounted: Uint8Array): readonly Amounts[] {
  const { isRefused, sentMs, lateMs } = steps;
  const surely = room(isRefused.length);
  const perhaps = room(isRefused.length);
  const doubt = lateMs === 0 ? undefined : doubtUnder(steps, hypothesis);
  let admissions = 0;
  let refusals = 0;
  walk(steps, hypothesis, (i, spentWithIt, meter) => {
    if (isCounted[i] === 0) return;
    const isIn = isRefused[i] === 0;
    const n = isIn ? admissions++ : refusals++;
    if (doubt === undefined) {
      if (isIn) surely.admitted[n] = spentWithIt;
      else surely.refused[n] = spentWithIt;
      return;
    }
    const t = sentMs[i] as number;
    const own = spentWithIt - meter.spent(t);
    if (isIn) {
      perhaps.admitted[n] = spentWithIt;
      surely.admitted[n] = own + Math.max(0, meter.least(t, lateMs / 2) - (doubt.less[i] as number));
    } else {
      perhaps.refused[n] = spentWithIt;
      surely.refused[n] = own + meter.most(t, lateMs / 2) + (doubt.more[i] as number);
    }
  });
  const filled = ({ admitted, refused }: Omit<Amounts, 'weight'>, weight: number): Amounts => ({
    admitted: admitted.subarray(0, admissions),
    refused: refused.subarray(0, refusals),
    weight,
  });
  return doubt === undefined ? [filled(surely, 1)] : [filled(surely, 1 - DOUBTFUL), filled(perhaps, DOUBTFUL)];
}

/** What an error counts that the way to the provider may explain: enough to tell which of two limits is the likelier. */
const DOUBTFUL = 0.4;

function room(length: number): Omit<Amounts, 'weight'> {
  return { admitted: new Float64Array(length), refused: new Float64Array(length) };
}

/** The limit that fits best, of the attempts that are evidence. */
export function fitLimit(steps: Steps, hypothesis: Hypothesis, isCounted: Uint8Array): Threshold {
  return bestThreshold(amountsOf(steps, hypothesis, isCounted));
}
