/**
 * An answer that is no success: a case and its facts, in a provider's style. Draws nothing, decides nothing.
 */

import type { RetryAfterSpec } from '../models/hint-spec.js';
import type { QuotaStanding } from '../models/quota.js';
import type { QuotaSpec } from '../models/quota-spec.js';
import type { ErrorCase, ErrorForm, RefusalStyle, WireAnswer } from './answer.js';
import { addHintHeaders, hintPlaces } from './hint-headers.js';
import { decimalMs, decimalSeconds, goDuration, spokenUtc, wholeSeconds } from './instants.js';
import { fillJson, fillText, type Json, type TemplateValues } from './json-template.js';
import type { DialectStyle } from './refusal-styles.js';
import { EVENT_STREAM, sseData } from './server-sent-events.js';

export interface ErrorFacts {
  readonly method: string;
  readonly path: string;
  /** Where it is known. */
  readonly model?: string;
  /** What is wrong with the request, a sentence. */
  readonly reason?: string;
  readonly requestId: string;
  /** The request asked for a stream. */
  readonly stream: boolean;
  readonly epochMs: number;
}

/** What a quota that refused adds. */
export interface RefusalFacts {
  /** Its own standing; undefined where no quota refused, as in an overload. */
  readonly standing: QuotaStanding | undefined;
  readonly quota: string;
  /** The wait as a client reads it; null = none is stated. */
  readonly hintMs: number | null;
  readonly retryAfter: RetryAfterSpec;
  /** Its headers are lost on the way; what the body says stays. */
  readonly isBare: boolean;
}

export interface ErrorStyles {
  readonly style: RefusalStyle;
  /** Has the forms that the style leaves out. */
  readonly dialect: DialectStyle;
}

export interface ErrorDetails {
  readonly facts: ErrorFacts;
  readonly refusal?: RefusalFacts;
  /** Values that go before those of the form. */
  readonly overriding?: TemplateValues;
}

/** @param head `headers`: those that every answer has, the rate-limit ones among them. */
export function errorAnswer(
  kase: ErrorCase,
  styles: ErrorStyles,
  details: ErrorDetails,
  head: { readonly headers: Readonly<Record<string, string>>; readonly afterMs: number },
): WireAnswer {
  const form = formOf(kase, styles, details);
  const values = valuesOf(form, styles.style, details);
  const headers = { 'content-type': 'application/json', ...head.headers, ...headersOf(form, values) };
  addHints(headers, styles.style, details);
  const body = JSON.stringify(bodyOf(form, styles.style, values));
  const { afterMs } = head;
  if (form.streamed === 'frame' && details.facts.stream) {
    const stream = { ...headers, 'content-type': EVENT_STREAM };
    const frames = [{ afterMs: 0, data: sseData(body) }];
    return { kind: 'streamed', status: 200, headers: stream, afterMs, ending: 'end', frames };
  }
  return { kind: 'whole', status: form.status, headers, afterMs, ending: 'end', body };
}

/** The header with the id of the answer, where the style has one; to be added to. */
export function requestIdHeader({ requestIdHeader: name }: RefusalStyle, requestId: string): Record<string, string> {
  return name === null ? {} : { [name]: requestId };
}

/** The body alone, for an error that comes inside a success. */
export function errorBody(kase: ErrorCase, styles: ErrorStyles, details: ErrorDetails): Json {
  const form = formOf(kase, styles, details);
  const values = valuesOf(form, styles.style, details);
  return form.insideBody === undefined ? bodyOf(form, styles.style, values) : (fillJson(form.insideBody, values) ?? {});
}

function formOf(kase: ErrorCase, { style, dialect }: ErrorStyles, { refusal }: ErrorDetails): ErrorForm {
  const ofQuota = refusal && kase !== 'too-large' ? style.quotas?.[refusal.quota] : undefined;
  return ofQuota ?? style.errors[kase] ?? dialect.errors[kase];
}

function bodyOf(form: ErrorForm, style: RefusalStyle, values: TemplateValues): Json {
  return fillJson(form.body ?? style.body, values) ?? {};
}

function addHints(headers: Record<string, string>, style: RefusalStyle, { facts, refusal }: ErrorDetails): void {
  if (refusal === undefined || refusal.isBare || refusal.hintMs === null) return;
  const places = hintPlaces(style, refusal.retryAfter);
  addHintHeaders(headers, places, { waitMs: refusal.hintMs, epochMs: facts.epochMs });
}

/** The form's own fields may use the facts; the message may use them both. */
function valuesOf(form: ErrorForm, style: RefusalStyle, { facts, refusal, overriding }: ErrorDetails): TemplateValues {
  const known = { ...factValues(facts, form), ...(refusal && refusalValues(refusal, style, facts.epochMs)) };
  const fields = Object.entries(form.fields ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? fillText(value, known) : value] as const,
  );
  const values = { ...known, ...Object.fromEntries(fields), ...overriding };
  return { ...values, message: fillText(form.message, values) };
}

function factValues({ method, path, model, reason, requestId }: ErrorFacts, { status }: ErrorForm): TemplateValues {
  return { method, path, model, reason, requestId, status };
}

function headersOf({ headers = {} }: ErrorForm, values: TemplateValues): Record<string, string> {
  const filled = Object.entries(headers).map(([name, value]) => [name, fillText(value, values)] as const);
  return Object.fromEntries(filled.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function refusalValues(refusal: RefusalFacts, style: RefusalStyle, epochMs: number): TemplateValues {
  const { quota, standing, hintMs, retryAfter } = refusal;
  const isSpoken = hintMs !== null && hintPlaces(style, retryAfter).includes('body');
  return {
    quota,
    ...(standing && standingValues(standing, epochMs)),
    ...(isSpoken && {
      waitGo: goDuration(hintMs),
      waitSeconds: wholeSeconds(hintMs),
      waitDecimal: decimalSeconds(hintMs),
      waitMs: decimalMs(hintMs),
    }),
  };
}

function standingValues({ spec, remaining, requested, fullInMs }: QuotaStanding, epochMs: number): TemplateValues {
  const windowed = spec.kind === 'concurrency' ? undefined : spec;
  const period = windowed && periodOf(windowed.perMs);
  // A request may ask for all that a full bucket holds: a smaller limit beside it would say that it is too large.
  const limit = Math.max(spec.limit, capacityOf(spec));
  return {
    limit,
    limitText: String(limit),
    limitGrouped: limit.toLocaleString('en-US'),
    used: capacityOf(spec) - remaining,
    remaining: Math.max(0, remaining),
    requested,
    unit: unitOf(spec),
    period,
    Period: period && period[0]!.toUpperCase() + period.slice(1),
    dimension: dimensionOf(spec),
    ...(fullInMs !== null && { resetUtc: spokenUtc(epochMs + fullInMs), resetEpochMs: Math.ceil(epochMs + fullInMs) }),
  };
}

/** What a full quota holds. */
function capacityOf(spec: QuotaSpec): number {
  return 'refill' in spec && spec.refill === 'token-bucket' ? spec.burst : spec.limit;
}

function unitOf(spec: QuotaSpec): string {
  switch (spec.kind) {
    case 'concurrency':
      return 'concurrent requests';
    case 'requests':
      return 'requests';
    case 'tokens':
    case 'ramp':
      if (spec.counts === 'requests') return 'requests';
      return spec.counts === 'total' ? 'tokens' : `${spec.counts} tokens`;
  }
}

const PERIODS: Readonly<Record<number, readonly [word: string, short: string]>> = {
  1000: ['second', 'sec'],
  60000: ['minute', 'min'],
  3600000: ['hour', 'hour'],
  86400000: ['day', 'day'],
};

function periodOf(perMs: number): string {
  return PERIODS[perMs]?.[0] ?? `${decimalSeconds(perMs)} seconds`;
}

/** As OpenAI says it: the words, and for a usual window their initials. */
function dimensionOf(spec: QuotaSpec): string {
  const unit = unitOf(spec);
  if (spec.kind === 'concurrency') return unit;
  const known = PERIODS[spec.perMs];
  if (known === undefined) return `${unit} per ${periodOf(spec.perMs)}`;
  const [word, short] = known;
  const initials = [...unit.split(' ').map((each) => each[0]), 'p', word[0]].join('').toUpperCase();
  return `${unit} per ${short} (${initials})`;
}
