/**
 * From a spec to a living quota: the one place that knows all kinds. Checks the spec first; keeps nothing.
 */

import type { Allowance } from './allowance.js';
import { ConcurrencyQuota } from './concurrency-quota.js';
import { FixedWindow } from './fixed-window.js';
import type { Quota } from './quota.js';
import { allowanceNumbers, checkQuota } from './quota-spec.js';
import { RequestsQuota } from './requests-quota.js';
import { SlidingWindow } from './sliding-window.js';
import { TokenBucket } from './token-bucket.js';
import { TokensQuota } from './tokens-quota.js';
import type { QuotaSpec, WindowSpec } from './verdict.js';

/** @throws RangeError naming the quota, the option, its value and what is allowed. */
export function createQuota(spec: QuotaSpec): Quota {
  checkQuota(spec);
  switch (spec.kind) {
    case 'concurrency':
      return new ConcurrencyQuota(spec);
    case 'requests':
      return new RequestsQuota(spec, createAllowance(spec));
    case 'tokens':
      return new TokensQuota(spec, createAllowance(spec));
  }
}

function createAllowance(spec: WindowSpec): Allowance {
  const numbers = allowanceNumbers(spec);
  switch (spec.refill) {
    case 'token-bucket':
      return new TokenBucket(numbers);
    case 'fixed-window':
      return new FixedWindow(numbers);
    case 'sliding-window':
      return new SlidingWindow(numbers);
  }
}
