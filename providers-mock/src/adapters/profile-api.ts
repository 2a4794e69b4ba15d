/**
 * A profile as a provider that the API can play: its quotas and its manners, with an answer as quick as the caller wants
 * it. Draws nothing.
 */

import { USUAL_OUTPUT_TOKENS } from '../models/token-count.js';
import { type ProfileName, profileOf, profileProvider } from '../profiles/catalogue.js';
import type { Profile } from '../profiles/profile.js';
import type { ModelDraws } from '../wire/generation.js';
import type { ApiProvider } from '../wire/mock-api.js';

/** Answers and refusals at once, always of the same length: what a test that is not about latency wants. */
export const AT_ONCE: ModelDraws = {
  outputTokens: () => USUAL_OUTPUT_TOKENS,
  times: () => ({ firstTokenMs: 0, totalMs: 0 }),
  refusalMs: () => 0,
  hint: () => 0.5,
  fault: () => 0,
};

/** @param drawsOf the draws of one of its models, by name. */
export function profileApi(name: ProfileName, drawsOf: (model: string) => ModelDraws = () => AT_ONCE): ApiProvider {
  const profile: Profile = profileOf(name);
  const { quotas, models } = profileProvider(profile);
  const spoken = Object.entries(models).map(([model, spec]) => {
    const { retryAfter, keepAlive } = profile.models[model]!;
    const kept = keepAlive && { keepAliveMs: keepAlive.value };
    return [model, { ...spec, ...kept, retryAfter: retryAfter.value, draws: drawsOf(model) }] as const;
  });
  return { wire: profile.wire, refusal: profile.refusal, quotas, models: Object.fromEntries(spoken) };
}
