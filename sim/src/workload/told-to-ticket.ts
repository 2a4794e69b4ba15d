/** What the ticket of an attempt is told of how it ended. */

import type { Refusal, Sample } from '@tidegate/governor';
import type { AttemptEnd } from '../transport/transport.js';

type Success = Extract<AttemptEnd, { class: 'ok' }>;
type NoSuccess = Exclude<AttemptEnd, { class: 'ok' }>;

export function sampleOf({ inputTokens, outputTokens, firstTokenMs }: Success): Partial<Sample> {
  return { inputTokens, outputTokens, ...(firstTokenMs === null ? {} : { firstTokenMs }) };
}

export function refusalOf(end: NoSuccess): Refusal {
  return {
    reason: end.class === 'overload' ? 'provider_overloaded' : 'rate_limited',
    ...(end.retryAfterMs === null ? {} : { retryAfterMs: end.retryAfterMs }),
    ...(end.scope === undefined ? {} : { scope: end.scope }),
  };
}
