/**
 * From a spec to a living quota: the one place that knows all kinds and what they are wrapped in. Checks the spec first;
 * keeps nothing.
 */

import type { Allowance, AllowanceNumbers } from './allowance.js';
import { ConcurrencyQuota } from './concurrency-quota.js';
import { DailySchedule } from './daily-schedule.js';
import { FixedWindow } from './fixed-window.js';
import { GrowingLimit } from './growing-limit.js';
import type { LimitCourse } from './limit-course.js';
import { below, type Luck, noLuck } from './luck.js';
import type { Quota } from './quota.js';
import { allowanceNumbers, checkQuota, type QuotaSpec, type RampSpec, type WindowSpec } from './quota-spec.js';
import { RampQuota } from './ramp-quota.js';
import { RequestsQuota } from './requests-quota.js';
import { SharedAllowance } from './shared-allowance.js';
import { SharedPlaces } from './shared-places.js';
import { SlidingWindow } from './sliding-window.js';
import { Squeeze } from './squeeze.js';
import { SubWindow } from './sub-window.js';
import { TokenBucket } from './token-bucket.js';
import { TokensQuota } from './tokens-quota.js';
import { VaryingQuota } from './varying-quota.js';

/** What quotas may know of the world. */
export interface QuotaSetting {
  /** The time of day, in ms after midnight UTC, at which the told time is 0. */
  readonly startsAtMs: number;
  readonly luck: Luck;
}

export const PLAIN_SETTING: QuotaSetting = { startsAtMs: 0, luck: noLuck };

const DAY_MS = 86_400_000;

/** @throws RangeError naming the quota, the option, its value and what is allowed. */
export function createQuota(spec: QuotaSpec, setting: QuotaSetting): Quota {
  checkQuota(spec);
  const ofThisQuota = { ...setting, luck: below(setting.luck, `quotas/${spec.name}`) };
  const quota = createSteady(spec, ofThisQuota);
  const courses = spec.kind === 'ramp' ? [] : coursesOf(spec, ofThisQuota);
  if (courses.length === 0) return quota;
  return new VaryingQuota(quota, courses, (alone) => createSteady(withoutOthers(alone), ofThisQuota));
}

/** A quota whose limit stays where it is. */
function createSteady(spec: QuotaSpec, setting: QuotaSetting): Quota {
  switch (spec.kind) {
    case 'concurrency': {
      const quota = new ConcurrencyQuota(spec);
      return spec.others === undefined ? quota : new SharedPlaces(quota, spec.others, setting.luck('others'));
    }
    case 'requests':
      return new RequestsQuota(spec, createAllowance(spec, setting));
    case 'tokens':
      return new TokensQuota(spec, createAllowance(spec, setting));
    case 'ramp':
      return new RampQuota(spec);
  }
}

function createAllowance(spec: WindowSpec, { startsAtMs, luck }: QuotaSetting): Allowance {
  const numbers = allowanceNumbers(spec);
  const resetUs = spec.resetAtMs === undefined ? 0 : ((spec.resetAtMs - startsAtMs + DAY_MS) % DAY_MS) * 1000;
  const create = (of: AllowanceNumbers): Allowance => createRefilling(spec.refill, of, resetUs);
  const whole = create(numbers);
  const { subWindowMs, others } = spec;
  const smooth =
    subWindowMs === undefined ? whole : new SubWindow(whole, numbers, Math.round(subWindowMs * 1000), create);
  return others === undefined ? smooth : new SharedAllowance(smooth, others, luck('others'));
}

function createRefilling(refill: WindowSpec['refill'], numbers: AllowanceNumbers, resetUs: number): Allowance {
  switch (refill) {
    case 'token-bucket':
      return new TokenBucket(numbers);
    case 'fixed-window':
      return new FixedWindow(numbers, resetUs);
    case 'sliding-window':
      return new SlidingWindow(numbers);
  }
}

/** In the order in which they change the limit: what is earned, then the hour, then the pressure of the moment. */
function coursesOf(spec: Exclude<QuotaSpec, RampSpec>, { startsAtMs, luck }: QuotaSetting): readonly LimitCourse[] {
  const courses: LimitCourse[] = [];
  if (spec.kind !== 'concurrency' && spec.growing !== undefined) {
    courses.push(new GrowingLimit(spec.growing, spec.perMs));
  }
  if (spec.schedule !== undefined) courses.push(new DailySchedule(spec.schedule, startsAtMs));
  if (spec.squeeze !== undefined) courses.push(new Squeeze(spec.squeeze, luck('squeeze')));
  return courses;
}

function withoutOthers(spec: QuotaSpec): QuotaSpec {
  if (spec.kind === 'ramp') return spec;
  const { others: _, ...alone } = spec;
  return alone as QuotaSpec;
}
