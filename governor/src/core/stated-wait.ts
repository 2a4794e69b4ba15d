/**
 * How long a refusal says to wait: every place where a provider may say it, in the order in which they are believed.
 *
 * The order: `retry-after-ms`, `retry-after`, `x-amz-retry-after`, a member of the body, a sentence, an instant in either;
 * and only for a used-up limit, the time until it is full again, which is an upper bound. Gives the raw number: a floor,
 * a horizon and jitter are the retry policy's.
 */
import type { Scope } from './answer.js';
import type { Evidence } from './answer-body.js';
import type { HeaderMap, Limit, Limits } from './answer-headers.js';
import type { ProviderRules } from './provider-rules.js';
import { instantInText, type Now, parseMilliseconds, parseWait, waitInText } from './retry-after.js';

/** The wait that the answer states, or null. */
export function statedWait(headers: HeaderMap, evidence: Evidence, rules: ProviderRules, now: Now): number | null {
  const precise = parseMilliseconds(headers.get('retry-after-ms'));
  // Azure sends 0 ms beside whole seconds: the seconds are meant.
  if (precise !== null && precise > 0) return precise;
  return (
    parseWait(headers.get('retry-after'), now) ??
    parseMilliseconds(headers.get('x-amz-retry-after')) ??
    parseWait(evidence.delay, now) ??
    parseMilliseconds(evidence.delayMs) ??
    waitInText(evidence.text) ??
    parseWait(evidence.resetAt, now) ??
    instantInText(evidence.text, now, rules.zoneMinutes) ??
    precise
  );
}

/** Until the latest of the used-up limits is full again, or null if none is known to be used up. */
export function exhaustedReset(limits: Limits, rules: ProviderRules, scope: Scope | undefined): number | null {
  const isExhausted = ([dimension, { remaining, rejected }]: [string, Limit]): boolean => {
    if (rules.resetIsWait || remaining === 0 || rejected) return true;
    // Nothing says what remains: it is the limit that the refusal names, or the only one there is.
    const isSilent = remaining === undefined && rejected === undefined;
    return isSilent && (limits.size === 1 || (scope !== undefined && scopeOfDimension(dimension) === scope));
  };
  const waits = [...limits].filter(isExhausted).map(([, { resetMs }]) => resetMs ?? -1);
  const longest = Math.max(-1, ...waits);
  return longest < 0 ? null : longest;
}

/** The dimension that is used up, if it is one alone and a scope has its name. */
export function exhaustedScope(limits: Limits): Scope | undefined {
  const used = [...limits].filter(([, { remaining }]) => remaining === 0);
  return used.length === 1 ? scopeOfDimension(used[0]![0]) : undefined;
}

function scopeOfDimension(dimension: string): Scope | undefined {
  return /^(?:project_)?((?:requests|tokens)(?:_day)?|(?:in|out)put_tokens)$/.exec(dimension)?.[1] as Scope | undefined;
}
