/**
 * What a quota's spec may say, and which of it may change while the provider runs. Checks and converts; holds no state.
 */

import type { AllowanceNumbers } from './allowance.js';
import type { QuotaSpec, WindowSpec } from './verdict.js';

/** @throws RangeError naming the quota, the option, its value and what is allowed. */
export function checkQuota(spec: QuotaSpec): void {
  checkOneOf(spec, 'kind', ['concurrency', 'requests', 'tokens']);
  checkWhole(spec, 'limit', spec.limit, 0);
  if (spec.kind === 'concurrency') return;
  checkOneOf(spec, 'refill', ['token-bucket', 'fixed-window', 'sliding-window']);
  checkWindow(spec);
  if (spec.kind === 'requests') return;
  checkOneOf(spec, 'counts', ['input', 'output', 'total']);
  checkOneOf(spec, 'reserve', ['none', 'estimate', 'max-tokens']);
  checkOneOf(spec, 'settle', ['refund', 'keep']);
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

function checkWindow(spec: QuotaSpec & WindowSpec): void {
  const perUs = Math.round(spec.perMs * 1000);
  if (!(perUs >= 1 && perUs <= Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`quota "${spec.name}": perMs must be at least 0.001 and finite, got ${spec.perMs}`);
  }
  // A limit of 0 closes the quota whatever the bucket holds, and the default burst is the limit.
  if (spec.refill === 'token-bucket') checkWhole(spec, 'burst', spec.burst, spec.limit === 0 ? 0 : 1);
}

function checkWhole(spec: QuotaSpec, option: string, value: number, min: number): void {
  if (Number.isSafeInteger(value) && value >= min) return;
  throw new RangeError(`quota "${spec.name}": ${option} must be a whole number of at least ${min}, got ${value}`);
}

function checkOneOf(spec: QuotaSpec, option: string, allowed: readonly string[]): void {
  const value = optionOf(spec, option);
  if (allowed.some((each) => each === value)) return;
  throw new RangeError(`quota "${spec.name}": ${option} must be one of ${allowed.join(', ')}, got ${String(value)}`);
}

function checkSameShape(current: QuotaSpec, next: QuotaSpec): void {
  for (const option of ['kind', 'refill', 'counts', 'reserve', 'settle', 'refusedCount']) {
    const [was, is] = [optionOf(current, option), optionOf(next, option)];
    if (was === is) continue;
    throw new RangeError(
      `quota "${current.name}": ${option} cannot change while the provider runs, from ${String(was)} to ${String(is)}; only name, limit, perMs and burst can`,
    );
  }
}

function optionOf(spec: QuotaSpec, option: string): unknown {
  return (spec as unknown as Readonly<Record<string, unknown>>)[option];
}
