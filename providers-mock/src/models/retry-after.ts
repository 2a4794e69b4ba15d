/**
 * The wait that a client reads off a refusal: what the provider means to say, distorted by its lies and errors and by the
 * form in which it says it. Pure; the caller brings the time and the random number. Renders no header.
 */

import type { HintSpec, RetryAfterSpec } from './hint-spec.js';
import type { Refusal } from './verdict.js';

type Refused = Pick<Refusal, 'waitMs' | 'scope' | 'tooLarge'>;
type StatedHint = Exclude<RetryAfterSpec, { kind: 'none' }>;

const SECOND_US = 1_000_000;
/** 30 years: a hint that lies by a large factor still is a number that a header can hold. */
const LONGEST_US = 1e15;

/**
 * Milliseconds, to the microsecond; null = the refusal carries no hint.
 *
 * - `exact` states the refusal's own wait: none where nobody knows one (a concurrency quota or an overload refused) or the
 *   request is too large. `constant` states its `ms` whatever refused. With `scopes` only refusals of these carry one.
 * - Stale: the wait as it was at the last multiple of `staleMs`, so too long by the time since. Then × `factor`, a lie, and
 *   × 1 + error·(2·random − 1).
 * - `seconds`: rounding up → whole seconds, none → seconds with decimals. `ms`: whole milliseconds, or with decimals.
 * - `http-date`: a date has whole seconds whatever the rounding. The date is now + `skewMs` + wait, rounded up or (none) cut
 *   down; the client subtracts the answer's own `Date`, which is now cut down, and reads a past date as 0. So, without a
 *   skew, `up` reads up to two seconds long, `none` up to a second long or short.
 *
 * @param nowMs on the provider's wall clock; only `http-date` and `staleMs` look at it.
 * @param random in [0, 1); only looked at where `error` is above 0.
 * @throws RangeError naming the option, its value and what is allowed.
 */
export function hintMs(spec: RetryAfterSpec, refusal: Refused, nowMs: number, random: number): number | null {
  if (spec.kind === 'none') return null;
  checkHint(spec);
  if (spec.scopes !== undefined && !spec.scopes.includes(refusal.scope)) return null;
  const meantMs = spec.kind === 'constant' ? spec.ms : exactMs(spec, refusal, nowMs);
  if (meantMs === null) return null;
  const meantUs = meantMs * 1000 * (spec.factor ?? 1) * (1 + spec.error * (2 * random - 1));
  const saidUs = Math.min(LONGEST_US, Math.round(meantUs));
  return readUs(spec, saidUs, Math.round(nowMs * 1000)) / 1000;
}

function exactMs({ staleMs = 0 }: HintSpec, { waitMs, tooLarge }: Refused, nowMs: number): number | null {
  if (waitMs === null || tooLarge) return null;
  return staleMs === 0 ? waitMs : waitMs + (nowMs % staleMs);
}

function readUs({ as, rounding, skewMs = 0 }: StatedHint, saidUs: number, nowUs: number): number {
  const round = rounding === 'up' ? Math.ceil : Math.floor;
  switch (as) {
    case 'seconds':
      return rounding === 'up' ? Math.ceil(saidUs / SECOND_US) * SECOND_US : saidUs;
    case 'ms':
      return rounding === 'up' ? Math.ceil(saidUs / 1000) * 1000 : saidUs;
    case 'http-date': {
      const dateUs = nowUs + Math.round(skewMs * 1000) + saidUs;
      return Math.max(0, round(dateUs / SECOND_US) - Math.floor(nowUs / SECOND_US)) * SECOND_US;
    }
  }
}

function checkHint(spec: StatedHint): void {
  const { error, factor = 1, staleMs = 0, skewMs = 0 } = spec;
  check('error', error, error >= 0 && error <= 1, 'a share from 0 to 1');
  if (spec.kind === 'constant') check('ms', spec.ms, spec.ms >= 0 && Number.isFinite(spec.ms), atLeast0);
  check('factor', factor, factor >= 0 && Number.isFinite(factor), atLeast0);
  check('staleMs', staleMs, staleMs >= 0 && Number.isFinite(staleMs), atLeast0);
  check('skewMs', skewMs, Number.isFinite(skewMs), 'a finite number');
}

const atLeast0 = 'a finite number of at least 0';

function check(option: string, value: number, isAllowed: boolean, allowed: string): void {
  if (!isAllowed) throw new RangeError(`retryAfter: ${option} must be ${allowed}, got ${value}`);
}
