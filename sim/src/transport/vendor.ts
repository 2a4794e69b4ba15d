/** Whose rules tell what an answer means: the name that the governor knows a provider by. */

import { profileNames, profileOf } from '@tidegate/providers-mock';
import type { ProviderSettings } from '../scenario/scenario.js';
import type { DialectName } from './client-dialect.js';

/** By its profile, where the scenario names one; then by a dialect that one vendor alone speaks; else by its own name. */
export function vendorOf(name: string, wire: DialectName, refusal: ProviderSettings['refusal']): string {
  const profile = refusal && profileNames.find((each) => profileOf(each).refusal === refusal);
  return profile ?? (wire === 'openai' ? name : wire);
}
