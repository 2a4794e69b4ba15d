/**
 * Finds the limits behind a history: tries each hypothesis, and takes the one under which the fewest attempts were treated
 * otherwise than its limit says. Likelihoods compare them; one more free number must earn its keep.
 */

import { amountsOf, type Cost, doubtUnder, fitLimit, type Hypothesis, REQUESTS, TOKENS, walk } from './hypotheses.js';
import { roundest } from './round-number.js';
import type { Steps } from './steps.js';
import { errorsAt, type Threshold } from './threshold.js';

export interface FittedQuota {
  readonly hypothesis: Hypothesis;
  /** In requests, or in tokens per window. */
  readonly limit: number;
  /** The window; null of requests in flight. */
  readonly perMs: number | null;
  /** Of a token bucket, its capacity. */
  readonly burst: number | null;
  /** What may be spent: in requests or tokens, as precisely as the history tells it. */
  readonly most: number;
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
  ...[1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 10_000, 12_000, 15_000, 20_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 86_400_000],
];

/** @param isCounted which attempts are evidence; the others only take what they take. */
export function fitQuota(steps: Steps, isCounted: Uint8Array): QuotaFit | undefined {
  const refused = count(steps, isCounted, 1);
  if (refused === 0) return undefined;
  const context: Context = { steps, isCounted, evidence: refused + count(steps, isCounted, 0), spanMs: spanOf(steps) };
  const fits = [concurrency(context), ...ofCost(context, REQUESTS), ...ofCost(context, TOKENS[0] as Cost)];
  const isOpen = (): boolean => Math.min(...fits.map(({ errors }) => errors)) > 0;
  // What is rarer or takes longer to try, where none of the usual ones explains everything. No real window began with us.
  if (isOpen() || steps.lateMs > 0)
    fits.push(...[REQUESTS, ...TOKENS.slice(0, 2)].flatMap((cost) => shiftedFits(context, cost)));
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
  return fitted(context, {
    ...{ hypothesis, limit, perMs: null, burst: null, most: low },
    ...{ range: [low, high], errors, numbers: 1 },
  });
}

function ofCost(context: Context, cost: Cost): readonly FittedQuota[] {
  const windows = usualWindows(context);
  const extra = cost.kind === 'tokens' ? 1 : 0;
  return [
    ...windows.map((perMs) => fixedFit(context, cost, perMs, 2 + extra)),
    // Few providers keep every request of the last minute in mind.
    ...windows.map((perMs) => windowFit(context, { cost, refill: { kind: 'sliding-window', perMs } }, 4 + extra)),
    ...bucketFits(context, cost, 2 + extra),
  ];
}

function windowFit(context: Context, hypothesis: Hypothesis, numbers: number): FittedQuota {
  const { refill } = hypothesis;
  const perMs = 'perMs' in refill ? refill.perMs : 0;
  const { errors, low, high } = fitLimit(context.steps, hypothesis, context.isCounted);
  const limit = roundest(low, high);
  return fitted(context, { hypothesis, limit, perMs, burst: null, most: low, range: [low, high], errors, numbers });
}

function fixedFit(context: Context, cost: Cost, perMs: number, numbers: number): FittedQuota {
  return windowFit(context, { cost, refill: { kind: 'fixed-window', perMs, phaseMs: 0 } }, numbers);
}

/**
 * A real provider's windows do not begin with the run. The phase is looked for all over the window, and where the trace hints
 * at it; then ever closer to where it explains most, of the likeliest windows.
 */
function shiftedFits(context: Context, cost: Cost): readonly FittedQuota[] {
  const numbers = cost.kind === 'tokens' ? 4 : 3;
  const at = (perMs: number, phaseMs: number): FittedQuota =>
    windowFit(context, { cost, refill: { kind: 'fixed-window', perMs, phaseMs } }, numbers);
  // Of phases that explain as much, the one whose waits are what refusals say.
  const scores = new Map<FittedQuota, number>();
  const score = (fit: FittedQuota): number => {
    const known = scores.get(fit) ?? weighed(fit, context.steps).score;
    scores.set(fit, known);
    return known;
  };
  const isBetter = (a: FittedQuota, b: FittedQuota): boolean =>
    a.errors < b.errors || (a.errors === b.errors && score(a) < score(b));
  const least = (fits: readonly FittedQuota[]): FittedQuota => fits.reduce((a, b) => (isBetter(b, a) ? b : a));
  const coarse = usualWindows(context).map((perMs) => {
    const everywhere = Array.from({ length: COARSE_PHASES }, (_, n) => (n / COARSE_PHASES) * perMs);
    return least([...everywhere, ...phasesOf(context.steps, perMs)].map((phaseMs) => at(perMs, phaseMs)));
  });
  coarse.sort((a, b) => (isBetter(a, b) ? -1 : 1));
  return coarse.map((found, n) => {
    let best = found;
    if (n >= CLOSER) return best;
    const perMs = best.perMs as number;
    for (let stepMs = perMs / COARSE_PHASES / 2; stepMs >= JUST; stepMs /= 2) {
      const { refill } = best.hypothesis;
      const phaseMs = refill.kind === 'fixed-window' ? refill.phaseMs : 0;
      best = least([best, at(perMs, phaseMs - stepMs), at(perMs, phaseMs + stepMs)]);
    }
    return best;
  });
}

const COARSE_PHASES = 12;
/** So many windows are looked at more closely. */
const CLOSER = 4;

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

const MOST_PHASES = 8;
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
  const upTo = (errors: number): Plateau =>
    [...tried].filter((one) => one[1].errors <= errors).sort(([a], [b]) => a - b);
  return [
    ...usualBuckets(context, cost, upTo(fewest + 1), numbers),
    ...freeBucket(context, cost, upTo(fewest), numbers),
  ];
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

/** The rates that explain most, in their order, and what they say of the capacity. */
type Plateau = readonly (readonly [rate: number, threshold: Threshold])[];

/** How far a capacity may seem to be from the amount of a window that it is. */
const NEAR = 0.05;

function usualBuckets(context: Context, cost: Cost, plateau: Plateau, numbers: number): readonly FittedQuota[] {
  const { steps, isCounted } = context;
  return WINDOWS_MS.flatMap((perMs) => {
    const rates = plateau.filter(
      ([rate, { low, high }]) => rate * perMs >= low * (1 - NEAR) && rate * perMs < high * (1 + NEAR),
    );
    const [first, last] = [rates[0]?.[0], rates.at(-1)?.[0]];
    if (first === undefined || last === undefined) return [];
    const limit = roundest(first * perMs * (1 - BLUR), last * perMs * (1 + BLUR) + 1e-9, 0.5);
    const hypothesis: Hypothesis = { cost, refill: { kind: 'token-bucket', rate: limit / perMs } };
    const errors = errorsAt(amountsOf(steps, hypothesis, isCounted), limit);
    const range = [first * perMs, last * perMs] as const;
    return [fitted(context, { hypothesis, limit, perMs, burst: limit, most: limit, range, errors, numbers })];
  });
}

/** Told per minute, as most are; unless it holds the amount of another window. */
function freeBucket(context: Context, cost: Cost, plateau: Plateau, numbers: number): readonly FittedQuota[] {
  const middle = plateau[Math.floor(plateau.length / 2)];
  if (middle === undefined) return [];
  const [rate, { errors, low, high }] = middle;
  // A quota of tokens that holds hardly more than one request is none: it is noise that has been fitted to.
  if (cost.kind === 'tokens' && low < 2 * largestLetIn(context, cost)) return [];
  const own = WINDOWS_MS.find((perMs) => Math.abs((rate * perMs) / low - 1) < NEARLY);
  const perMs = own ?? 60_000;
  const [lowest, highest] = [(plateau[0]?.[0] ?? 0) * perMs, (plateau.at(-1)?.[0] ?? 0) * perMs];
  const limit =
    own === undefined
      ? Math.max(1, roundest(lowest, highest + 1e-9, 0.5))
      : roundest(Math.min(low, lowest), Math.max(low, highest) + 1);
  return [
    fitted(context, {
      hypothesis: { cost, refill: { kind: 'token-bucket', rate } },
      ...{ limit, perMs, burst: own === undefined ? roundest(low, high) : limit, most: low },
      ...{ range: [lowest, highest], errors },
      // Most buckets hold what they get in their window.
      numbers: numbers + 3,
    }),
  ];
}

/** What jitter makes of a capacity that is just the amount of its window. */
const NEARLY = 0.02;

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
  const isWhole = hints.every((hint) => hint % 1_000 === 0);
  const waits = waitsOf(fit, steps);
  const matches = (isWhole ? WHOLE_SECONDS : [EXACT]).map(
    ([low, high]) =>
      waits.filter(({ hintMs, waitMs }) => {
        const slackMs = Math.max(SLACK_MS, 0.15 * waitMs);
        return hintMs - waitMs >= low - slackMs && hintMs - waitMs <= high + slackMs;
      }).length,
  );
  return { ...fit, score: fit.score + HINT_WEIGHT * (1 - Math.max(...matches) / hints.length) };
}

const HINT_WEIGHT = 12;
/** Hint less wait: rounded up, as a date, and as a date rounded up. */
const WHOLE_SECONDS = [
  [0, 1_000],
  [-1_000, 1_000],
  [0, 2_000],
] as const;
const EXACT = [0, 1] as const;
const SLACK_MS = 100;

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
export function explainedBy({ hypothesis, most }: FittedQuota, steps: Steps): Uint8Array {
  const { isRefused, sentMs, lateMs } = steps;
  const explained = new Uint8Array(sentMs.length);
  const more = lateMs === 0 ? undefined : doubtUnder(steps, hypothesis).more;
  walk(steps, hypothesis, (i, spentWithIt, meter) => {
    if (isRefused[i] === 0) return;
    const t = sentMs[i] as number;
    const doubt = more === undefined ? 0 : (more[i] as number) + meter.most(t, lateMs / 2) - meter.spent(t);
    if (spentWithIt + doubt > most) explained[i] = 1;
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

function largestLetIn({ steps, isCounted }: Context, cost: Cost): number {
  return isCounted.reduce((most, counted, i) => {
    const isIn = counted === 1 && steps.isRefused[i] === 0;
    return isIn ? Math.max(most, cost.taken(steps, i)) : most;
  }, 0);
}

function count({ isRefused }: Steps, isCounted: Uint8Array, refused: 0 | 1): number {
  return isRefused.reduce((sum, each, i) => sum + (each === refused && isCounted[i] === 1 ? 1 : 0), 0);
}

function spanOf({ sentMs }: Steps): number {
  return Math.max(1, (sentMs.at(-1) ?? 0) - (sentMs[0] ?? 0));
}
