/**
 * Mock LLM providers that refuse by quota, as the real ones do. The models are pure: told the facts of a request and the
 * time, they answer with a verdict, in virtual time as on a wall clock.
 */

export type { Ahead } from './models/ahead.js';
export type {
  EpisodesSpec,
  GrowthSpec,
  LimitOverTime,
  OthersPlaces,
  OthersSpending,
  ScheduleEntry,
  SqueezeSpec,
} from './models/changing-limit.js';
export {
  FAULT_EFFECTS,
  type FaultEffect,
  type FaultKind,
  type FaultSpec,
  faultEndsAfterMs,
  pickFault,
  SLOWNESS,
  usedUnderFault,
} from './models/faults.js';
export type { HintForm, HintSpec, RetryAfterSpec } from './models/hint-spec.js';
export { type LoadSpec, loadFactor, promptMs, serviceMs, type TokenTimes, underLoad } from './models/latency.js';
export type { LedgerEntry } from './models/ledger.js';
export type { Luck, Random } from './models/luck.js';
export type { OverloadSpec } from './models/overload.js';
export { createProvider, type Provider, type ProviderSpec } from './models/provider.js';
export { type ModelExtras, ProviderModel } from './models/provider-model.js';
export type { QuotaStanding } from './models/quota.js';
export type { QuotaSpec, RampSpec, WindowSpec } from './models/quota-spec.js';
export { hintMs } from './models/retry-after.js';
export type { ServerSpec } from './models/service-line.js';
export { USUAL_OUTPUT_TOKENS } from './models/token-count.js';
export type {
  AdmittedLease,
  Lease,
  OverloadStatus,
  Refusal,
  RefusalScope,
  RequestFacts,
  Usage,
  Verdict,
} from './models/verdict.js';
export {
  isProfileName,
  modelProfile,
  type ProfileName,
  profileNames,
  profileOf,
  profileProvider,
} from './profiles/catalogue.js';
export {
  type Cited,
  type Evidence,
  type LatencyProfile,
  type LognormalMs,
  type ModelProfile,
  PROFILES_COLLECTED,
  type Profile,
} from './profiles/profile.js';
export type { ErrorForm, RefusalStyle, WireAnswer, WireStyle } from './wire/answer.js';
export { rateLimitHeaders } from './wire/rate-limit-headers.js';
export { type RefusalTold, refusalAnswer } from './wire/refusal-answer.js';
export { DIALECT_STYLES, type DialectStyle } from './wire/refusal-styles.js';
