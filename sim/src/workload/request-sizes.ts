/** How large a request is and what a full answer to it has, drawn from a stream unless stated. */

import { type Sampler, sampler } from '../kernel/distribution.js';
import type { RandomStream } from '../kernel/random.js';
import type { TokensSettings } from '../scenario/scenario.js';

export interface RequestSizes {
  readonly inputTokens: number;
  /** Of these, the ones that the provider has in its prompt cache. Default 0. */
  readonly cachedTokens?: number;
  readonly outputTokens: number;
  readonly maxTokens: number;
}

/** Distributions ready to be drawn from. */
export interface SizePlan {
  readonly input: Sampler;
  readonly output: Sampler;
  /** The `max_tokens` of every request; null = the request's own output. */
  readonly maxTokens: number | null;
}

export interface StatedSizes {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export function sizePlan({ input, output, max }: TokensSettings): SizePlan {
  return { input: sampler(input), output: sampler(output), maxTokens: max };
}

/** Draws both sizes whether they are stated or not, so that a stated one shifts nothing. */
export function drawSizes(
  { input, output, maxTokens: most }: SizePlan,
  stream: RandomStream,
  stated: StatedSizes,
): RequestSizes {
  const drawnInput = wholeTokens(input(stream));
  const drawnOutput = wholeTokens(output(stream));
  const wantedOutput = stated.outputTokens ?? drawnOutput;
  const maxTokens = most ?? wantedOutput;
  const inputTokens = stated.inputTokens ?? drawnInput;
  return { inputTokens, outputTokens: Math.min(wantedOutput, maxTokens), maxTokens };
}

/** No context is longer than a thousand million tokens, however heavy the tail of a distribution. */
export function wholeTokens(drawn: number): number {
  return Math.min(1e9, Math.round(drawn));
}
