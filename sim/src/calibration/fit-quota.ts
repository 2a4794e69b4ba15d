/**
 * Finds the limits behind a history: tries each hypothesis, and takes the one under which the fewest attempts were treated
 * otherwise than its limit says. Likelihoods compare them; one more free number must earn its keep.
 */

import { type Cost, fitLimit, type Hypothesis, REQUESTS, TOKENS, walk } from './hypotheses.js';
import { roundest } from './round-number.js';
import type { Steps } from './steps.js';
import type { Threshold } from './threshold.js';

export interface FittedQuota {
  readonly hypothesis: Hypothesis;
  /** In requests, or in tokens per window. */
  readonly limit: number;
  /** The window; null of requests in flight. */
  readonly perMs: number | null;
  /** Of a token bucket, its capacity. */
  readonly burst: number | null;
  /** Any limit from the first up to below the second explains as much. */
  readonly range: readonly [low: number, high: number];
  /** Attempts that it does not explain, of so many that tell. */
  readonly errors: number;
  readonly evidence: number;
  /** The lower, the likelier. */
  readonly score: number;
}

export interface QuotaFit {
  readonly best: FittedQuota;
  /** The share of the likelihood that is on this kind of quota, 0 to 1. */
  readonly confidence: number;
  /** The next likely kind; undefined where there is none. */
  readonly next: FittedQuota | undefined;
}

/** Windows that providers have. */
export const WINDOWS_MS: readonly number[] = [
  ...[1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 86_400_000],
];

/** @param isCounted which attempts are evidence; the others only take what they take. */
export function fitQuota(steps: Steps, isCounted: Uint8Array): QuotaFit | undefined {
  const refused = count(steps, isCounted, 1);
  if (refused === 0) return undefined;
  const context: Context = { steps, isCounted, evidence: refused + count(steps, isCounted, 0), spanMs: spanOf(steps) };
  const fits = [concurrency(context), ...ofCost(context, REQUESTS), ...ofCost(context, TOKENS[0] as Cost)];
  const isOpen = (): boolean => Math.min(...fits.map(({ errors }) => errors)) > 0;
  // What is rarer or takes longer to try, where none of the usual ones explains everything.
  if (isOpen()) fits.push(...[REQUESTS, ...TOKENS.slice(0, 2)].flatMap((cost) => shiftedFits(context, cost)));
  if (isOpen()) fits.push(...TOKENS.slice(1).flatMap((cost) => ofCost(context, cost)));
  const ranked = fits.map((fit) => weighed(fit, steps)).sort((a, b) => a.score - b.score);
  const best = ranked[0] as FittedQuota;
  const kinds = new Map<string, FittedQuota>();
  for (const fit of ranked) if (!kinds.has(kindOf(fit))) kinds.set(kindOf(fit), fit);
  const weights = [...kinds.values()].map(({ score }) => Math.exp((best.score - score) / 2));
  return { best, confidence: 1 / weights.reduce((sum, weight) => sum + weight, 0), next: [...kinds.values()][1] };
}

/** What a person would call it. */
export function kindOf({ hypothesis: { cost, refill } }: FittedQuota): string {
  return refill.kind === 'in-flight' ? 'concurrency' : `${cost.kind} per window, ${refill.kind}`;
}

interface Context {
  readonly steps: Steps;
  readonly isCounted: Uint8Array;
  readonly evidence: number;
  readonly spanMs: number;
}

function concurrency(context: Context): FittedQuota {
  const hypothesis: Hypothesis = { cost: REQUESTS, refill: { kind: 'in-flight' } };
  const { errors, low, high } = fitLimit(context.steps, hypothesis, context.isCounted);
  const limit = Math.round(low);
  return fitted(context, { hypothesis, limit, perMs: null, burst: null, range: [low, high], errors, numbers: 1 });
}

function ofCost(context: Context, cost: Cost): readonly FittedQuota[] {
  const windows = usualWindows(context);
  const extra = cost.kind === 'tokens' ? 1 : 0;
  return [
    ...windows.map((perMs) => windowFit(context, { cost, refill: { kind: 'sliding-window', perMs } }, 2 + extra)),
    ...windows.map((perMs) => fixedFit(context, cost, perMs, 2 + extra)),
    ...bucketFits(context, cost, 2 + extra),
  ];
}

function windowFit(context: Context, hypothesis: Hypothesis, numbers: number): FittedQuota {
  const { refill } = hypothesis;
  const perMs = 'perMs' in refill ? refill.perMs : 0;
  const { errors, low, high } = fitLimit(context.steps, hypothesis, context.isCounted);
  const limit = roundest(low, high);
  return fitted(context, { hypothesis, limit, perMs, burst: null, range: [low, high], errors, numbers });
}

function fixedFit(context: Context, cost: Cost, perMs: number, numbers: number): FittedQuota {
  return windowFit(context, { cost, refill: { kind: 'fixed-window', perMs, phaseMs: 0 } }, numbers);
}

/** A real provider's windows do not begin with the run. */
function shiftedFits(context: Context, cost: Cost): readonly FittedQuota[] {
  const numbers = cost.kind === 'tokens' ? 4 : 3;
  return usualWindows(context).flatMap((perMs) =>
    [...phasesOf(context.steps, perMs)].map((phaseMs) =>
      windowFit(context, { cost, refill: { kind: 'fixed-window', perMs, phaseMs } }, numbers),
    ),
  );
}

function usualWindows({ spanMs }: Context): readonly number[] {
  return WINDOWS_MS.filter((perMs) => perMs <= 2 * spanMs);
}

/** A window begins before the first admission after refusals, and where a hint says so. */
function phasesOf({ sentMs, isRefused, hintMs }: Steps, perMs: number): ReadonlySet<number> {
  const phases = new Set<number>();
  for (let i = 1; i < sentMs.length && phases.size < MOST_PHASES; i++) {
    const t = sentMs[i] as number;
    const hint = hintMs[i] as number;
    if (hint > 0) phases.add((t + hint) % perMs);
    if (isRefused[i] === 1 || isRefused[i - 1] === 0) continue;
    // Anywhere from the last refusal to here.
    phases.add((t % perMs) - JUST).add(((sentMs[i - 1] as number) % perMs) + JUST);
  }
  return phases;
}

const MOST_PHASES = 24;
/** Less than any clock of a provider is off. */
const JUST = 0.5;

/**
 * A rate and a capacity. The capacity follows from the rate, the rate is searched for: first everywhere, then ever finer
 * around what explains most. A capacity that is the rate's amount of a usual window is no free number.
 */
function bucketFits(context: Context, cost: Cost, numbers: number): readonly FittedQuota[] {
  const { steps, isCounted, spanMs } = context;
  const tried = new Map<number, Threshold>();
  const at = (rate: number): Threshold => {
    const known = tried.get(rate);
    if (known !== undefined) return known;
    const made = fitLimit(steps, { cost, refill: { kind: 'token-bucket', rate } }, isCounted);
    tried.set(rate, made);
    return made;
  };
  const mean = amountLetIn(steps, cost) / spanMs;
  if (!(mean > 0)) return [];
  for (const rate of ratesBetweenRefusals(context, cost)) at(rate);
  for (let n = 0; n <= COARSE; n++) at(mean * LOWEST * (HIGHEST / LOWEST) ** (n / COARSE));
  for (const spread of SPREADS) {
    const least = [...tried].sort(([, a], [, b]) => a.errors - b.errors).slice(0, BRANCHES);
    for (const [rate] of least) {
      for (let n = -FINE; n <= FINE; n++) at(rate * (1 + (spread * n) / FINE));
    }
  }
  const [, { errors: fewest }] = [...tried].reduce((a, b) => (b[1].errors < a[1].errors ? b : a));
  const plateau = [...tried].filter(([, { errors }]) => errors === fewest).sort(([a], [b]) => a - b);
  return [...usualBuckets(context, cost, { plateau, numbers }), ...freeBucket(context, cost, { plateau, numbers })];
}

/**
 * At a refusal a bucket is as good as empty. What was let in from one to another has therefore come back in the time
 * between, unless the bucket was full meanwhile.
 */
function ratesBetweenRefusals({ steps, isCounted }: Context, cost: Cost): readonly number[] {
  const seen: { readonly t: number; readonly taken: number }[] = [];
  const never: Hypothesis = { cost, refill: { kind: 'token-bucket', rate: 0 } };
  walk(steps, never, (i, taken) => {
    if (steps.isRefused[i] === 1 && isCounted[i] === 1) seen.push({ t: steps.sentMs[i] as number, taken });
  });
  const rates: number[] = [];
  for (let parts = 1; parts <= MOST_PARTS; parts *= 2) {
    for (let part = 0; part < parts; part++) {
      const from = seen[Math.floor((part / parts) * (seen.length - 1))];
      const to = seen[Math.floor(((part + 1) / parts) * (seen.length - 1))];
      if (from === undefined || to === undefined || to.t <= from.t) continue;
      const rate = (to.taken - from.taken) / (to.t - from.t);
      if (rate > 0) rates.push(rate);
    }
  }
  return rates;
}

const MOST_PARTS = 16;

/** Of the mean rate: below and above it nothing is looked for. */
const LOWEST = 0.02;
const HIGHEST = 4;
const COARSE = 24;
const FINE = 5;
const SPREADS = [0.06, 0.009, 0.0014, 0.0002];
/** So many of the likeliest are looked at more closely. */
const BRANCHES = 2;

/** The search ends at steps of such a share; a round number within one is the number. */
const BLUR = 0.0003;

interface Plateau {
  /** The rates that explain most, and what they say of the capacity. */
  readonly plateau: readonly (readonly [rate: number, threshold: Threshold])[];
  readonly numbers: number;
}

function usualBuckets(context: Context, cost: Cost, { plateau, numbers }: Plateau): readonly FittedQuota[] {
  return WINDOWS_MS.flatMap((perMs) => {
    const rates = plateau.filter(([rate, { low, high }]) => rate * perMs >= low - 1e-6 && rate * perMs < high);
    const [first, last] = [rates[0], rates.at(-1)];
    if (first === undefined || last === undefined) return [];
    const limit = roundest(first[0] * perMs * (1 - BLUR), last[0] * perMs * (1 + BLUR) + 1e-9, 0.5);
    const hypothesis: Hypothesis = { cost, refill: { kind: 'token-bucket', rate: limit / perMs } };
    const { errors } = first[1];
    const range = [first[0] * perMs, last[0] * perMs] as const;
    return [fitted(context, { hypothesis, limit, perMs, burst: limit, range, errors, numbers })];
  });
}

/** Told per minute, as most are. */
function freeBucket(context: Context, cost: Cost, { plateau, numbers }: Plateau): readonly FittedQuota[] {
  const middle = plateau[Math.floor(plateau.length / 2)];
  if (middle === undefined) return [];
  const perMs = 60_000;
  const [lowest, highest] = [plateau[0]?.[0] ?? 0, plateau.at(-1)?.[0] ?? 0];
  const limit = roundest(lowest * perMs, highest * perMs + 1e-9, 0.5);
  const [rate, { errors, low, high }] = middle;
  const hypothesis: Hypothesis = { cost, refill: { kind: 'token-bucket', rate } };
  const range = [lowest * perMs, highest * perMs] as const;
  return [
    fitted(context, {
      hypothesis,
      limit: Math.max(1, limit),
      perMs,
      burst: roundest(low, high),
      range,
      errors,
      numbers: numbers + 1,
    }),
  ];
}

function fitted(
  { evidence }: Context,
  { numbers, ...fit }: Omit<FittedQuota, 'evidence' | 'score'> & { readonly numbers: number },
): FittedQuota {
  const { errors } = fit;
  // So that no error at all is not taken for certainty.
  const wrong = (errors + 0.5) / (evidence + 1);
  const likelihood = errors * Math.log(wrong) + (evidence - errors) * Math.log(1 - wrong);
  return { ...fit, evidence, score: -2 * likelihood + 2 * numbers };
}

/** A limit whose own wait is what refusals say is likelier; one whose wait nobody can know says none that changes. */
function weighed(fit: FittedQuota, steps: Steps): FittedQuota {
  const hints = steps.hintMs.filter((hint) => !Number.isNaN(hint));
  // One and the same for all may be a constant, which says nothing of the limit.
  if (hints.length < 3 || new Set(hints).size === 1) return fit;
  let matches = 0;
  for (const { hintMs, waitMs } of waitsOf(fit, steps)) {
    if (Math.abs(hintMs - waitMs) <= Math.max(2_100, 0.15 * waitMs)) matches++;
  }
  return { ...fit, score: fit.score + HINT_WEIGHT * (1 - matches / hints.length) };
}

const HINT_WEIGHT = 12;

/** Of each refusal with a hint: what it said, and when this limit would have let it in. */
export function waitsOf(
  { hypothesis, limit, burst }: FittedQuota,
  steps: Steps,
): readonly { readonly hintMs: number; readonly waitMs: number }[] {
  const waits: { hintMs: number; waitMs: number }[] = [];
  walk(steps, hypothesis, (i, spentWithIt, meter) => {
    const hintMs = steps.hintMs[i] as number;
    if (Number.isNaN(hintMs)) return;
    waits.push({
      hintMs,
      waitMs: Math.max(0, meter.waitMs(steps.sentMs[i] as number, spentWithIt - (burst ?? limit))),
    });
  });
  return waits;
}

/** Which refusals this limit explains. */
export function explainedBy({ hypothesis, limit, burst, range }: FittedQuota, steps: Steps): Uint8Array {
  const explained = new Uint8Array(steps.sentMs.length);
  const most = burst ?? Math.max(limit, range[0]);
  walk(steps, hypothesis, (i, spentWithIt) => {
    if (steps.isRefused[i] === 1 && spentWithIt > most) explained[i] = 1;
  });
  return explained;
}

function amountLetIn(steps: Steps, cost: Cost): number {
  let sum = 0;
  for (let i = 0; i < steps.sentMs.length; i++) {
    if (steps.isRefused[i] === 0) sum += Math.max(cost.taken(steps, i), cost.used(steps, i));
  }
  return sum;
}

function count({ isRefused }: Steps, isCounted: Uint8Array, refused: 0 | 1): number {
  return isRefused.reduce((sum, each, i) => sum + (each === refused && isCounted[i] === 1 ? 1 : 0), 0);
}

function spanOf({ sentMs }: Steps): number {
  return Math.max(1, (sentMs.at(-1) ?? 0) - (sentMs[0] ?? 0));
}
