/**
 * A real provider's behaviour as data: the shape of its quotas at one documented tier, its hints, its latencies, and how
 * its refusals look. Every number says where it comes from. Vendors' numbers age in weeks: they are dated, not constants.
 */

import type { RetryAfterSpec } from '../models/hint-spec.js';
import type { QuotaSpec } from '../models/quota-spec.js';
import type { ServerSpec } from '../models/service-line.js';
import type { RefusalStyle } from '../wire/answer.js';

/** When the facts of all profiles were collected. */
export const PROFILES_COLLECTED = '2026-11-30';

/**
 * How well a fact is founded. `documented`: by the provider, or in its source. `secondary`: documented, read through
 * another page. `observed`: by users, in a fixture or an issue. `computed`: from facts that are cited. `uncertain`: one
 * weak source, contradictory ones, or a guess that is said to be one.
 */
export type Evidence = 'documented' | 'secondary' | 'observed' | 'computed' | 'uncertain';

/** A fact and where it comes from. */
export interface Cited<T> {
  readonly value: T;
  readonly evidence: Evidence;
  /** A page, or a file or issue of a public repository; and what was read there. */
  readonly source: string;
}

export interface Profile {
  readonly name: string;
  /** The tier or plan that the numbers are of, and what else to know of them. */
  readonly about: string;
  readonly wire: 'openai' | 'anthropic' | 'gemini';
  readonly refusal: RefusalStyle;
  /** Shared by all models. */
  readonly quotas: readonly Cited<QuotaSpec>[];
  /** By name; the first is what a model of any other name is like. */
  readonly models: Readonly<Record<string, ModelProfile>>;
}

export interface ModelProfile {
  readonly quotas: readonly Cited<QuotaSpec>[];
  readonly retryAfter: Cited<RetryAfterSpec>;
  /** Absent = nothing is known of it. */
  readonly latency?: Cited<LatencyProfile>;
  readonly server?: Cited<ServerSpec>;
  /** How often a request that waits at that server gets a byte without meaning, in ms. */
  readonly keepAlive?: Cited<number>;
}

/** Medians and 95th percentiles of lognormal times, and times per token, in ms. */
export interface LatencyProfile {
  readonly firstToken: LognormalMs;
  readonly perInputTokenMs?: number;
  readonly perOutputTokenMs: number;
}

export interface LognormalMs {
  readonly medianMs: number;
  readonly p95Ms: number;
}

export function cited<T>(value: T, evidence: Evidence, source: string): Cited<T> {
  return { value, evidence, source };
}
