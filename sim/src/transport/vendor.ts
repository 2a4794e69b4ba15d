/** Whose rules tell what an answer means: the name that the governor knows a provider by. */

import { profileNames, profileOf } from '@tidegate/providers-mock';
import type { ProviderSettings } from '../scenario/scenario.js';
import type { DialectName } from './client-dialect.js';

/** By its profile, where the scenario names one; then by a dialect that one vendor alone speaks; else by its own name. */
export function vendorOf(name: string, wire: DialectName, refusal: ProviderSettings['refusal']): string {
  return profileWith(refusal) ?? (wire === 'openai' ? name : wire);
}

/** The profile is known by its look: a resolved scenario has that, also one that was read back from a trace. */
function profileWith(refusal: ProviderSettings['refusal']): string | undefined {
  if (refusal === undefined) return undefined;
  const text = JSON.stringify(refusal);
  return profileNames.find(
    (each) => profileOf(each).refusal === refusal || JSON.stringify(profileOf(each).refusal) === text,
  );
}
