/**
 * The wait that a client reads off a refusal: what the provider means to say, distorted by its error and by the form in
 * which it says it. Pure; the caller brings the time and the random number. Renders no header.
 */

import type { RetryAfterSpec, Verdict } from './verdict.js';

type Refusal = Pick<Extract<Verdict, { kind: 'refused' }>, 'waitMs' | 'scope' | 'tooLarge'>;
type StatedHint = Exclude<RetryAfterSpec, { kind: 'none' }>;

const SECOND_US = 1_000_000;

/**
 * Milliseconds, to the microsecond; null = the refusal carries no hint.
 *
 * - `exact` states the refusal's own wait: none where a concurrency quota refused or the request is too large. `constant`
 *   states its `ms` whatever refused.
 * - The stated wait is first multiplied by 1 + error·(2·random − 1).
 * - `seconds`: rounding up → whole seconds, none → seconds with decimals. `ms`: whole milliseconds, or with decimals.
 * - `http-date`: a date has whole seconds whatever the rounding. The date is now + wait, rounded up or (none) cut down;
 *   the client subtracts the answer's own `Date`, which is now cut down. So `up` reads up to two seconds long, `none` up
 *   to a second long or short.
 *
 * @param nowMs on the provider's wall clock; only `http-date` looks at it.
 * @param random in [0, 1); only looked at where `error` is above 0.
 * @throws RangeError when `error` is not in [0, 1] or `ms` is not a finite number ≥ 0.
 */
export function hintMs(spec: RetryAfterSpec, refusal: Refusal, nowMs: number, random: number): number | null {
  if (spec.kind === 'none') return null;
  checkHint(spec);
  const meantMs = spec.kind === 'constant' ? spec.ms : exactMs(refusal);
  if (meantMs === null) return null;
  const saidUs = Math.round(meantMs * 1000 * (1 + spec.error * (2 * random - 1)));
  return readUs(spec, saidUs, Math.round(nowMs * 1000)) / 1000;
}

function exactMs({ waitMs, scope, tooLarge }: Refusal): number | null {
  return scope === 'concurrency' || tooLarge ? null : waitMs;
}

function readUs({ as, rounding }: StatedHint, saidUs: number, nowUs: number): number {
  const round = rounding === 'up' ? Math.ceil : Math.floor;
  switch (as) {
    case 'seconds':
      return rounding === 'up' ? Math.ceil(saidUs / SECOND_US) * SECOND_US : saidUs;
    case 'ms':
      return rounding === 'up' ? Math.ceil(saidUs / 1000) * 1000 : saidUs;
    case 'http-date':
      return (round((nowUs + saidUs) / SECOND_US) - Math.floor(nowUs / SECOND_US)) * SECOND_US;
  }
}

function checkHint(spec: StatedHint): void {
  if (!(spec.error >= 0 && spec.error <= 1)) {
    throw new RangeError(`retryAfter: error must be a share from 0 to 1, got ${spec.error}`);
  }
  if (spec.kind === 'constant' && !(spec.ms >= 0 && Number.isFinite(spec.ms))) {
    throw new RangeError(`retryAfter: ms must be a finite number of at least 0, got ${spec.ms}`);
  }
}
