/**
 * What refusals say of the wait, as a rule: nothing, always the same, or the wait until the request would fit, in the form
 * in which it is said.
 */

import { formatDuration } from '../scenario/duration.js';

export interface FittedHint {
  /** As a scenario writes it. */
  readonly retryAfter: unknown;
  readonly kind: 'none' | 'constant' | 'exact';
  /** The share of the refusals that say just this. */
  readonly agreement: number;
}

export interface Waiting {
  readonly hintMs: number;
  /** Until the fitted limit would have let it in; Infinity where nobody can know. */
  readonly waitMs: number;
}

/** Milliseconds of a real answer on its way. */
const LATE_MS = 250;

/** @param refusals all of them, those without a hint included. */
export function fitHint(waits: readonly Waiting[], refusals: number): FittedHint {
  if (waits.length === 0 || waits.length < refusals / 10) {
    return { retryAfter: 'none', kind: 'none', agreement: refusals === 0 ? 1 : 1 - waits.length / refusals };
  }
  const same = constant(waits);
  const [likeliest] = [...exact(waits)].sort((a, b) => b.agreement - a.agreement);
  // A second that is always said may be a wait that is always shorter: to a client they are the same.
  if (likeliest !== undefined && likeliest.agreement >= 0.9) return likeliest;
  if (same.agreement >= 0.9 || likeliest === undefined) return same;
  return likeliest.agreement > same.agreement ? likeliest : same;
}

function constant(waits: readonly Waiting[]): FittedHint {
  const hints = waits.map(({ hintMs }) => hintMs).sort((a, b) => a - b);
  const middle = hints[Math.floor(hints.length / 2)] as number;
  const agreement = share(hints, (hint) => Math.abs(hint - middle) <= 1);
  const spread = ((hints.at(-1) as number) - (hints[0] as number)) / 2;
  const mean = ((hints.at(-1) as number) + (hints[0] as number)) / 2;
  if (agreement < 0.9 && waits.length >= 5 && spread / mean < 0.6 && !followsWait(waits)) {
    const error = `${Math.max(1, Math.round((100 * spread) / mean))}%`;
    return { retryAfter: { constant: formatDuration(mean), as: 'ms', error }, kind: 'constant', agreement: 0.95 };
  }
  return { retryAfter: formatDuration(middle), kind: 'constant', agreement };
}

/** The finest form first: each says what those before it say, and more. */
function exact(waits: readonly Waiting[]): readonly FittedHint[] {
  const known = waits.filter(({ waitMs }) => waitMs < Number.POSITIVE_INFINITY);
  if (known.length < waits.length / 2) return [];
  const off = known.map(({ hintMs, waitMs }) => hintMs - waitMs);
  const isWhole = share(known, ({ hintMs }) => hintMs % 1000 === 0) > 0.95;
  const between = (low: number, high: number): number =>
    share(off, (ms) => ms >= low - LATE_MS && ms <= high + LATE_MS) * (known.length / waits.length);
  const forms: FittedHint[] = [];
  if (!isWhole) {
    forms.push({ retryAfter: { as: 'ms', rounding: 'none' }, kind: 'exact', agreement: between(0, 1) });
    forms.push(scaled(known));
  } else {
    forms.push({ retryAfter: { as: 'seconds', rounding: 'up' }, kind: 'exact', agreement: between(0, 1_000) });
    forms.push({ retryAfter: { as: 'http-date', rounding: 'none' }, kind: 'exact', agreement: between(-1_000, 1_000) });
    forms.push({ retryAfter: { as: 'http-date', rounding: 'up' }, kind: 'exact', agreement: between(0, 2_000) });
  }
  return forms;
}

/** Some multiple of the wait, more or less. */
function scaled(known: readonly Waiting[]): FittedHint {
  const ratios = known.filter(({ waitMs }) => waitMs > 0).map(({ hintMs, waitMs }) => hintMs / waitMs);
  ratios.sort((a, b) => a - b);
  const at = (part: number): number => ratios[Math.min(ratios.length - 1, Math.floor(part * ratios.length))] as number;
  if (ratios.length < known.length / 2) return { retryAfter: 'none', kind: 'none', agreement: 0 };
  const factor = (at(0.02) + at(0.98)) / 2;
  const error = (at(0.98) - at(0.02)) / 2 / factor;
  const isPlain = Math.abs(factor - 1) < 0.05;
  return {
    retryAfter: {
      ...{ as: 'ms', rounding: 'none' },
      ...(!isPlain && { factor: Number(factor.toPrecision(3)) }),
      ...(error >= 0.005 && { error: `${Math.round(error * 100)}%` }),
    },
    kind: 'exact',
    agreement: error < 0.5 ? 0.9 : 0,
  };
}

/** Whether longer waits are told as longer ones. */
function followsWait(waits: readonly Waiting[]): boolean {
  const known = waits.filter(({ waitMs }) => waitMs < Number.POSITIVE_INFINITY);
  if (known.length < 3) return false;
  const mean = (of: (each: Waiting) => number): number => known.reduce((sum, each) => sum + of(each), 0) / known.length;
  const [hint, wait] = [mean(({ hintMs }) => hintMs), mean(({ waitMs }) => waitMs)];
  const both = mean(({ hintMs, waitMs }) => (hintMs - hint) * (waitMs - wait));
  const spreads = mean(({ hintMs }) => (hintMs - hint) ** 2) * mean(({ waitMs }) => (waitMs - wait) ** 2);
  return spreads > 0 && both / Math.sqrt(spreads) > 0.5;
}

function share<T>(all: readonly T[], holds: (each: T) => boolean): number {
  return all.length === 0 ? 0 : all.filter(holds).length / all.length;
}
