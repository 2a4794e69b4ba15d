/**
 * The headers that tell where the quotas stand, from the standings of a model. A reset is the time until the quota is full
 * again, never until the next request fits. Pure text; decides nothing.
 */

import type { QuotaStanding } from '../models/quota.js';
import type { QuotaSpec } from '../models/quota-spec.js';
import type { RateLimitDimension, RateLimitStyle, RefusalStyle, ResetForm } from './answer.js';
import { decimalSeconds, goDuration, rfc3339, wholeSeconds } from './instants.js';
import { DIALECT_STYLES } from './refusal-styles.js';

type Headers = Record<string, string>;

/** What the headers are made of, and of which answer. */
export interface Announced {
  readonly standings: readonly QuotaStanding[];
  readonly epochMs: number;
  readonly isRefusal: boolean;
}

/** Adds to `headers` what `style` says of `standings`. */
export function addRateLimitHeaders(
  headers: Headers,
  style: RateLimitStyle,
  { standings, epochMs, isRefusal }: Announced,
): void {
  if (style.kind === 'none' || (style.on === 'refusals' && !isRefusal)) return;
  if (style.kind === 'ietf') addIetf(headers, standings);
  else for (const dimension of style.dimensions) addDimension(headers, dimension, standings, epochMs);
}

/** The headers that an answer has on such a wire; none where it tells nothing. */
export function rateLimitHeaders(
  { wire, refusal }: { readonly wire: 'openai' | 'anthropic' | 'gemini'; readonly refusal?: RefusalStyle },
  told: { readonly standings: readonly QuotaStanding[]; readonly epochMs: number; readonly isRefusal: boolean },
): Readonly<Record<string, string>> {
  const headers: Headers = {};
  addRateLimitHeaders(headers, (refusal ?? DIALECT_STYLES[wire]).rateLimits, told);
  return headers;
}

function addDimension(
  headers: Headers,
  dimension: RateLimitDimension,
  standings: readonly QuotaStanding[],
  epochMs: number,
): void {
  const standing = scarcest(standings, dimension.of);
  if (standing === undefined) return;
  const { limit, remaining, remainingStep = 1, reset, resetAs = 'go', period } = dimension;
  const { spec, fullInMs } = standing;
  if (limit !== undefined) headers[limit] = String(spec.limit);
  if (remaining !== undefined) headers[remaining] = String(inSteps(left(standing), remainingStep));
  if (reset !== undefined && fullInMs !== null) headers[reset] = resetText(resetAs, fullInMs, epochMs);
  if (period !== undefined && spec.kind !== 'concurrency') headers[period] = wholeSeconds(spec.perMs);
}

/** Of the quotas that fit, the one with the smallest share of its limit left; the first of equals. */
function scarcest(standings: readonly QuotaStanding[], wanted: RateLimitDimension['of']): QuotaStanding | undefined {
  let found: QuotaStanding | undefined;
  for (const standing of standings) {
    if (fits(standing.spec, wanted) && (found === undefined || share(standing) < share(found))) found = standing;
  }
  return found;
}

function fits(spec: QuotaSpec, wanted: RateLimitDimension['of']): boolean {
  switch (wanted) {
    case 'requests':
      return spec.kind === 'requests';
    case 'tokens':
      return spec.kind === 'tokens';
    case 'input-tokens':
      return spec.kind === 'tokens' && spec.counts === 'input';
    case 'output-tokens':
      return spec.kind === 'tokens' && spec.counts === 'output';
    default:
      return spec.name === wanted.quota;
  }
}

function share(standing: QuotaStanding): number {
  return left(standing) / Math.max(1, standing.spec.limit);
}

/** A debt is nothing left; a bucket may hold more than its limit. */
function left({ remaining }: QuotaStanding): number {
  return Math.max(0, remaining);
}

function inSteps(value: number, step: number): number {
  return step === 1 ? value : Math.round(value / step) * step;
}

function resetText(form: ResetForm, fullInMs: number, epochMs: number): string {
  switch (form) {
    case 'go':
      return goDuration(fullInMs);
    case 'seconds':
      return wholeSeconds(fullInMs);
    case 'decimal-seconds':
      return decimalSeconds(fullInMs);
    case 'rfc3339':
      return rfc3339(epochMs + fullInMs);
    case 'epoch-seconds':
      return wholeSeconds(epochMs + fullInMs);
    case 'epoch-ms':
      return String(Math.ceil(epochMs + fullInMs));
  }
}

function addIetf(headers: Headers, standings: readonly QuotaStanding[]): void {
  if (standings.length === 0) return;
  headers.ratelimit = standings
    .map(({ spec, fullInMs, ...rest }) => {
      const seconds = fullInMs === null ? '' : `;t=${wholeSeconds(fullInMs)}`;
      return `${quoted(spec.name)};r=${left({ spec, fullInMs, ...rest })}${seconds}`;
    })
    .join(', ');
  headers['ratelimit-policy'] = standings.map(({ spec }) => policyItem(spec)).join(', ');
}

function policyItem(spec: QuotaSpec): string {
  const item = `${quoted(spec.name)};q=${spec.limit}`;
  switch (spec.kind) {
    case 'concurrency':
      return `${item};qu="concurrent-requests"`;
    case 'tokens':
      // The draft has no unit for tokens.
      return `${item};qu="tokens";w=${wholeSeconds(spec.perMs)}`;
    case 'requests':
    case 'ramp':
      return `${item};w=${wholeSeconds(spec.perMs)}`;
  }
}

/** A structured-field string: RFC 9651 §3.3.3 allows printable ASCII. */
function quoted(name: string): string {
  return `"${name.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, '\\$&')}"`;
}
