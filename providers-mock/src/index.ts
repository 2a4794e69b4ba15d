/**
 * Mock LLM providers that refuse by quota, as the real ones do. The models are pure: told the facts of a request and the
 * time, they answer with a verdict, in virtual time as on a wall clock.
 */

export { type LoadSpec, loadFactor, serviceMs, type TokenTimes, underLoad } from './models/latency.js';
export type { LedgerEntry } from './models/ledger.js';
export { createProvider, type Provider, type ProviderSpec } from './models/provider.js';
export { ProviderModel } from './models/provider-model.js';
export { hintMs } from './models/retry-after.js';
export type {
  HintForm,
  Lease,
  QuotaSpec,
  RequestFacts,
  RetryAfterSpec,
  Usage,
  Verdict,
  WindowSpec,
} from './models/verdict.js';
