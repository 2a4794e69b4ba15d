/** What the trace says of an answer that came over HTTP, beyond its outcome and its tokens. */

import type { Observed } from '../trace/events.js';
import type { AttemptEnd } from '../transport/transport.js';

/** Undefined where the end has nothing of the kind to tell, as in virtual time. */
export function observedOf(end: AttemptEnd): Observed | undefined {
  if (end.class !== 'ok') {
    const { cause, heldMs, texts } = end;
    if ((cause ?? heldMs ?? texts) === undefined) return undefined;
    return { ...(cause !== undefined && { cause }), ...(heldMs !== undefined && { heldMs }), ...texts };
  }
  const { firstAnswerMs, gapMs, longestGapMs, reasoningTokens, tokensEstimated, heldMs, texts } = end;
  if ((firstAnswerMs ?? gapMs ?? reasoningTokens ?? tokensEstimated ?? heldMs ?? texts) === undefined) return undefined;
  return {
    ...(firstAnswerMs !== undefined && { firstAnswerMs }),
    ...(gapMs !== undefined && longestGapMs !== undefined && { gapMs, longestGapMs }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(tokensEstimated && { tokensEstimated }),
    ...(heldMs !== undefined && { heldMs }),
    ...texts,
  };
}
