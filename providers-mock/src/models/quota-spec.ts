/**
 * One limit of a provider as data: what it may say, and which of it may change while the provider runs. Checks and
 * converts; holds no state.
 */

import type { AllowanceNumbers } from './allowance.js';
import {
  type GrowthSpec,
  type LimitOverTime,
  type OthersPlaces,
  type OthersSpending,
  SHORTEST_MEAN_MS,
} from './changing-limit.js';

/** One limit of a provider, as data. `perMs` is the window; `burst` the capacity of a token bucket. */
export type QuotaSpec =
  | (LimitOverTime & {
      readonly kind: 'concurrency';
      readonly name: string;
      readonly limit: number;
      readonly refusedCount: boolean;
      readonly others?: OthersPlaces;
    })
  | (WindowSpec & { readonly kind: 'requests' })
  | (WindowSpec & {
      readonly kind: 'tokens';
      readonly counts: 'input' | 'output' | 'total';
      /** What is taken at admission; `larger`: of a total, the larger of prompt and `max_tokens`. */
      readonly reserve: 'none' | 'estimate' | 'max-tokens' | 'larger';
      readonly settle: 'refund' | 'keep';
      /** Whether input tokens out of the prompt cache count. Default `counted`. */
      readonly cached?: 'counted' | 'free';
      /** What one output token costs of a total when it is settled; whole number ≥ 1, default 1. */
      readonly outputWeight?: number;
    })
  | RampSpec;

export interface WindowSpec extends LimitOverTime {
  readonly name: string;
  readonly limit: number;
  readonly perMs: number;
  readonly refill: 'token-bucket' | 'fixed-window' | 'sliding-window';
  readonly burst: number;
  readonly refusedCount: boolean;
  /** Fixed window only: a window begins at this time of day, in ms after midnight UTC. Default: at the start of the time. */
  readonly resetAtMs?: number;
  /** Of windows, not buckets: its share of the limit, rounded up, holds in each part of this length too. */
  readonly subWindowMs?: number;
  readonly others?: OthersSpending;
  readonly growing?: GrowthSpec;
}

/**
 * A limit on growth, whatever the level: in a window of `perMs` at most `limit`, or 1 + `growth` times the most of one
 * window that began between once and twice `overMs` ago, whichever is more. Counts what is asked for at admission, an
 * output by its `max_tokens`, and settles nothing.
 */
export interface RampSpec {
  readonly kind: 'ramp';
  readonly name: string;
  readonly counts: 'requests' | 'input' | 'output' | 'total';
  readonly limit: number;
  readonly perMs: number;
  /** A share ≥ 0: 0.5 = half as much again. */
  readonly growth: number;
  /** A whole number of windows. */
  readonly overMs: number;
  readonly refusedCount: boolean;
}

const DAY_MS = 86_400_000;

/** Windows that a ramp may be measured over: each is remembered twice. */
const MAX_RAMP_WINDOWS = 10_000;

/** @throws RangeError naming the quota, the option, its value and what is allowed. */
export function checkQuota(spec: QuotaSpec): void {
  checkOneOf(spec, 'kind', ['concurrency', 'requests', 'tokens', 'ramp']);
  checkWhole(spec, 'limit', spec.limit, 0);
  if (spec.kind === 'ramp') {
    checkRamp(spec);
    return;
  }
  checkLimitOverTime(spec);
  if (spec.kind === 'concurrency') {
    if (spec.others !== undefined) {
      checkMean(spec, 'others.everyMs', spec.others.everyMs);
      checkDuration(spec, 'others.holdMs', spec.others.holdMs);
    }
    return;
  }
  checkOneOf(spec, 'refill', ['token-bucket', 'fixed-window', 'sliding-window']);
  checkWindow(spec);
  if (spec.kind === 'requests') return;
  checkOneOf(spec, 'counts', ['input', 'output', 'total']);
  checkOneOf(spec, 'reserve', ['none', 'estimate', 'max-tokens', 'larger']);
  checkOneOf(spec, 'settle', ['refund', 'keep']);
  if (spec.cached !== undefined) checkOneOf(spec, 'cached', ['counted', 'free']);
  if (spec.outputWeight !== undefined) checkWhole(spec, 'outputWeight', spec.outputWeight, 1);
}

/**
 * In place of `current`, only other numbers (and with them another name) may come: leases in flight rest on the rest.
 *
 * @throws RangeError naming what differs.
 */
export function checkReconfiguration(current: readonly QuotaSpec[], next: readonly QuotaSpec[]): void {
  if (next.length !== current.length) {
    throw new RangeError(
      `a running provider keeps its ${current.length} quotas, got ${next.length}; change their numbers, not their count`,
    );
  }
  next.forEach((spec, position) => {
    checkQuota(spec);
    checkSameShape(current[position]!, spec);
  });
}

export function allowanceNumbers(spec: WindowSpec): AllowanceNumbers {
  return { limit: spec.limit, perUs: Math.round(spec.perMs * 1000), burst: spec.burst };
}

function checkWindow(spec: Extract<QuotaSpec, WindowSpec>): void {
  const { refill, limit, burst, perMs, resetAtMs, subWindowMs, others, growing } = spec;
  checkDuration(spec, 'perMs', perMs);
  // A limit of 0 closes the quota whatever the bucket holds, and the default burst is the limit.
  if (refill === 'token-bucket') checkWhole(spec, 'burst', burst, limit === 0 ? 0 : 1);
  if (resetAtMs !== undefined) {
    checkTimeOfDay(spec, 'resetAtMs', resetAtMs);
    if (refill !== 'fixed-window' || DAY_MS % perMs !== 0) {
      refuse(spec, 'resetAtMs', resetAtMs, 'of a fixed window of which a day has a whole number');
    }
  }
  if (subWindowMs !== undefined) {
    checkDuration(spec, 'subWindowMs', subWindowMs);
    if (refill === 'token-bucket' || subWindowMs >= perMs) {
      refuse(spec, 'subWindowMs', subWindowMs, 'below perMs, and of a fixed or sliding window');
    }
  }
  if (others !== undefined) {
    checkMean(spec, 'others.everyMs', others.everyMs);
    checkWhole(spec, 'others.amount', others.amount, 1);
  }
  if (growing !== undefined) {
    checkWhole(spec, 'growing.max', growing.max, 0);
    checkMean(spec, 'growing.everyMs', growing.everyMs);
    checkAbove0(spec, 'growing.growth', growing.growth);
    checkAbove0(spec, 'growing.use', growing.use);
  }
}

function checkLimitOverTime(spec: QuotaSpec & LimitOverTime): void {
  for (const { fromMs, toMs, limit } of spec.schedule ?? []) {
    checkTimeOfDay(spec, 'schedule.fromMs', fromMs);
    checkTimeOfDay(spec, 'schedule.toMs', toMs);
    checkWhole(spec, 'schedule.limit', limit, 0);
  }
  if (spec.squeeze === undefined) return;
  checkMean(spec, 'squeeze.everyMs', spec.squeeze.everyMs);
  checkMean(spec, 'squeeze.forMs', spec.squeeze.forMs);
  checkWhole(spec, 'squeeze.limit', spec.squeeze.limit, 0);
}

function checkRamp(spec: RampSpec): void {
  const { perMs, overMs, growth } = spec;
  checkOneOf(spec, 'counts', ['requests', 'input', 'output', 'total']);
  checkDuration(spec, 'perMs', perMs);
  if (!(growth >= 0 && Number.isFinite(growth))) refuse(spec, 'growth', growth, 'a finite number of at least 0');
  const windows = overMs / perMs;
  if (Number.isInteger(windows) && windows >= 1 && windows <= MAX_RAMP_WINDOWS) return;
  refuse(spec, 'overMs', overMs, `a whole number of windows of ${perMs} ms, 1 to ${MAX_RAMP_WINDOWS}`);
}

/** At least a microsecond. */
function checkDuration(spec: QuotaSpec, option: string, ms: number): void {
  const us = Math.round(ms * 1000);
  if (!(us >= 1 && us <= Number.MAX_SAFE_INTEGER)) refuse(spec, option, ms, 'at least 0.001 and finite');
}

/** Of what is caught up with, one by one. */
function checkMean(spec: QuotaSpec, option: string, ms: number): void {
  if (!(ms >= SHORTEST_MEAN_MS && Number.isFinite(ms))) {
    refuse(spec, option, ms, `at least ${SHORTEST_MEAN_MS} and finite`);
  }
}

function checkTimeOfDay(spec: QuotaSpec, option: string, ms: number): void {
  if (!(Number.isSafeInteger(ms) && ms >= 0 && ms < DAY_MS)) refuse(spec, option, ms, `a whole number below ${DAY_MS}`);
}

function checkAbove0(spec: QuotaSpec, option: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) refuse(spec, option, value, 'a finite number above 0');
}

function checkWhole(spec: QuotaSpec, option: string, value: number, min: number): void {
  if (!(Number.isSafeInteger(value) && value >= min)) {
    refuse(spec, option, value, `a whole number of at least ${min}`);
  }
}

function checkOneOf(spec: QuotaSpec, option: string, allowed: readonly string[]): void {
  const value = optionOf(spec, option);
  if (!allowed.some((each) => each === value)) refuse(spec, option, value, `one of ${allowed.join(', ')}`);
}

function refuse(spec: QuotaSpec, option: string, value: unknown, allowed: string): never {
  throw new RangeError(`quota "${spec.name}": ${option} must be ${allowed}, got ${String(value)}`);
}

/** What leases, logs and processes rest on. */
const SHAPE = [
  'kind',
  'refill',
  'counts',
  'reserve',
  'settle',
  'cached',
  'outputWeight',
  'refusedCount',
  'resetAtMs',
  'subWindowMs',
  'others',
  'growing',
  'schedule',
  'squeeze',
];

/** Of a ramp, the windows that it has counted in. */
const RAMP_SHAPE = [...SHAPE, 'perMs', 'overMs', 'growth'];

function checkSameShape(current: QuotaSpec, next: QuotaSpec): void {
  for (const option of current.kind === 'ramp' ? RAMP_SHAPE : SHAPE) {
    const [was, is] = [textOf(current, option), textOf(next, option)];
    if (was === is) continue;
    throw new RangeError(
      `quota "${current.name}": ${option} cannot change while the provider runs, from ${was} to ${is}; only name, limit, perMs and burst can`,
    );
  }
}

function textOf(spec: QuotaSpec, option: string): string {
  const value = optionOf(spec, option);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function optionOf(spec: QuotaSpec, option: string): unknown {
  return (spec as unknown as Readonly<Record<string, unknown>>)[option];
}
