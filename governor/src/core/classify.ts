/**
 * What an answer means: `classify`, a pure function from one attempt's end to its class, hint, scope and resets.
 *
 * The words decide before the status, where they can be trusted; a body that cannot be read changes nothing. Never throws,
 * reads no clock, keeps no state.
 */
import type { Answer, AnswerClass, Classification, Scope } from './answer.js';
import { type Evidence, holdsOutput, type Inspection, inspectSuccess, readError } from './answer-body.js';
import {
  type HeaderMap,
  isConcurrencyExhausted,
  type Limits,
  read,
  readHeaders,
  readLimits,
  readRateLimit,
} from './answer-headers.js';
import { CERTAIN, GENERIC, PROVIDERS, type ProviderRules, type Rule, SCOPES, STATUS } from './provider-rules.js';
import { referenceMs } from './retry-after.js';
import { exhaustedReset, exhaustedScope, statedWait } from './stated-wait.js';

/** A refusal that asks for more than this is a quota used up, and no re-send of this attempt can wait for it. */
const HORIZON_MS = 600_000;

const OK: Classification = Object.freeze({ class: 'ok', retryAfterMs: null, reducesCap: false, retryable: false });
const NO_EVIDENCE: Evidence = { codes: ' ', text: '' };
const NO_RULES: ProviderRules = { name: /^$/, rows: [] };

const STATUS_CLASS: Readonly<Record<number, AnswerClass>> = {
  401: 'auth',
  402: 'quota_exhausted',
  403: 'auth',
  407: 'auth',
  408: 'transient',
  409: 'transient',
  413: 'request_too_large',
  424: 'transient',
  425: 'transient',
  429: 'throttle',
  // Groq's full flex tier, and nobody else's status; 499 is nginx's and Google's "the client went away".
  498: 'overload',
  499: 'transient',
  503: 'overload',
  529: 'overload',
};

const STATUS_BIT: Readonly<Record<number, number>> = {
  402: STATUS.PAYMENT,
  413: STATUS.TOO_LARGE,
  429: STATUS.LIMITED,
  503: STATUS.CAPACITY,
  529: STATUS.CAPACITY,
};

/** The names under which a caller's own abort is thrown; a timeout has another, and is the attempt's failure. */
const ABORTED = / (?:aborterror|abort_err|und_err_aborted) /;
const KEEP_ALIVE = /^: ?keep-?alive/im;
const SIZES = /limit:? ([\d,]+)(?:, used:? [\d,]+)?, requested:? ([\d,]+)/i;
const LIMIT_HEADER = /^(?!content|date|retry)/;

/** What is judged. */
interface Seen {
  /** The status, or the one that an error inside a 2xx names. */
  readonly status: number | undefined;
  readonly evidence: Evidence;
  readonly headers: HeaderMap;
  readonly rules: ProviderRules;
  readonly nowMs: number | undefined;
  /** The error came inside a 2xx. */
  readonly isLate: boolean;
  /** A re-send is out of the question: output was emitted, or the caller went away. */
  readonly isFinal: boolean;
}

/**
 * Classifies one attempt's end.
 *
 * A provider it does not know gets the generic rules. An `error` without a status is a failure of the network, unless it
 * says more of itself, as an SDK's error does. A caller's own abort is `transient` and not retryable; the ticket of an
 * aborted attempt is better ended than classified. Never throws, whatever it is given.
 */
export function classify(answer: Answer): Classification {
  try {
    return judge(answer);
  } catch {
    // Something in the answer breaks at the mere look at it: only the status is left.
    const status = statusIn(answer);
    const seen = { evidence: NO_EVIDENCE, headers: new Map(), rules: NO_RULES, nowMs: undefined };
    return isSuccess(status) ? OK : conclude({ ...seen, status, isLate: false, isFinal: false });
  }
}

function judge(answer: Answer): Classification {
  const error = read(answer, 'error') ?? undefined;
  const status = statusIn(answer) ?? statusIn(error);
  const headers = readHeaders(read(answer, 'headers') ?? read(error, 'headers') ?? read(error, 'responseHeaders'));
  const body = read(answer, 'body') ?? bodyOf(error);
  const isLate = isSuccess(status);
  if (isLate && error === undefined && body === undefined) return succeed(answer, headers);

  const rules = rulesOf(read(answer, 'provider'));
  const codes = [headers.get('x-amzn-errortype'), read(error, 'name'), read(error, 'code')];
  const isFinal = hasEmitted(answer, body) || ABORTED.test(readError('', ...codes).codes);
  const seen = { headers, rules, nowMs: nowOf(answer, headers), isLate, isFinal };
  if (!isLate) {
    const evidence = readError(body, ...codes);
    return conclude({ ...seen, evidence, status: status ?? statusInside(evidence) });
  }
  // 204 and the like have no body by right.
  const isBare = body === '' && status !== 200;
  const inspection: Inspection = isBare
    ? { kind: 'complete' }
    : inspectSuccess(body, headers.get('content-type') ?? '', rules.required);
  if (inspection.kind === 'error') {
    return conclude({ ...seen, evidence: inspection.evidence, status: statusInside(inspection.evidence) });
  }
  if (error !== undefined) return conclude({ ...seen, evidence: NO_EVIDENCE, status: undefined });
  if (inspection.kind === 'complete') return succeed(answer, headers);
  // Kept waiting and closed unserved: the provider had no capacity.
  const isTurnedAway = inspection.kind === 'silent' && (rules.holdsOpen || KEEP_ALIVE.test(String(body)));
  return conclude({ ...seen, evidence: NO_EVIDENCE, status: isTurnedAway ? 503 : undefined });
}

function succeed(answer: Answer, headers: HeaderMap): Classification {
  // Most answers announce no limit, and then nobody needs to know the time.
  for (const name of headers.keys()) {
    if (!LIMIT_HEADER.test(name)) continue;
    const resets = resetsOf(readLimits(headers, nowOf(answer, headers)), readRateLimit(headers));
    return resets ? { ...OK, resets } : OK;
  }
  return OK;
}

function conclude({ status, evidence, headers: own, rules, nowMs, isLate, isFinal }: Seen): Classification {
  const headers = readHeaders(evidence.headers, new Map(own));
  const limits = readLimits(headers, nowMs);
  const rateLimit = readRateLimit(headers);
  // A redirect is a wrong base URL, whatever it says.
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  const rule = isRedirect ? undefined : findRule(status, evidence, rules);
  let verdict = hasNoAccess(status, limits, rules) ? 'quota_exhausted' : (rule?.[3] ?? classOf(status));

  const isLimited = verdict === 'throttle' || verdict === 'quota_exhausted';
  const scope =
    rule?.[4] ??
    (isLimited ? scopeOf(evidence, headers, limits, rateLimit) : undefined) ??
    (isLate && verdict === 'throttle' ? rules.streamRefusalScope : undefined);

  let hint = isRedirect ? null : statedWait(headers, evidence, rules, nowMs);
  if (hint === null && (isLimited || (rules.resetIsWait && verdict === 'overload'))) {
    hint = exhaustedReset(limits, rules, scope) ?? exhaustedReset(rateLimit, NO_RULES, undefined);
  }
  const isBeyond = hint !== null && hint > HORIZON_MS;
  // A day's quota refills in seconds only where the answer says so.
  const isDaySpent = scope?.endsWith('_day') && hint === null;
  if (verdict === 'throttle' && (isBeyond || isDaySpent)) verdict = 'quota_exhausted';
  if (verdict === 'overload' && isBeyond && status === 429) verdict = 'quota_exhausted';
  if (verdict === 'quota_exhausted' && rules.shortWaitMisleads && !isBeyond) hint = null;

  const reducesCap = verdict === 'throttle' || verdict === 'overload';
  // A 413 with a wait is temporary, unless its words say that no wait helps.
  const isTemporary = reducesCap || verdict === 'transient' || (status === 413 && !rule && hint !== null);
  const override = headers.get('x-should-retry');
  const mayRetry = override === 'true' || (override !== 'false' && isTemporary && !isBeyond);
  const resets = resetsOf(limits, rateLimit);
  return {
    class: verdict,
    retryAfterMs: hint,
    reducesCap,
    retryable: mayRetry && !isFinal,
    ...(scope && (verdict !== 'quota_exhausted' || scope.endsWith('_day')) && { scope }),
    ...(resets && { resets }),
  };
}

function findRule(status: number | undefined, { codes, text }: Evidence, rules: ProviderRules): Rule | undefined {
  const bit = statusBit(status);
  const fits = ([statuses, code, words]: Rule): boolean =>
    (statuses & bit) !== 0 && (code === 0 || code.test(codes)) && (words === 0 || words.test(text));
  const sizes = SIZES.exec(text);
  if (sizes && amount(sizes[2]!) > amount(sizes[1]!) && amount(sizes[1]!) > 0) return [bit, 0, 0, 'request_too_large'];
  return CERTAIN.find(fits) ?? rules.rows.find(fits) ?? GENERIC.find(fits);
}

function amount(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

function statusBit(status: number | undefined): number {
  if (status === undefined) return STATUS.NONE;
  return STATUS_BIT[status] ?? (status >= 500 ? STATUS.SERVER : STATUS.CLIENT);
}

function classOf(status: number | undefined): AnswerClass {
  const isKnown = status !== undefined && status >= 300 && status < 500;
  return STATUS_CLASS[status ?? 0] ?? (isKnown ? 'bad_request' : 'transient');
}

function hasNoAccess(status: number | undefined, limits: Limits, rules: ProviderRules): boolean {
  return status === 429 && rules.zeroLimitIsNoAccess === true && [...limits.values()].some(({ limit }) => limit === 0);
}

function scopeOf(evidence: Evidence, headers: HeaderMap, limits: Limits, rateLimit: Limits): Scope | undefined {
  if (isConcurrencyExhausted(rateLimit, headers)) return 'concurrency';
  const types = `type:${headers.get('x-ratelimit-type')} type:${headers.get('rate_limit_type')}`;
  const words = `${evidence.codes}${evidence.text} ${types}`;
  const spoken = SCOPES.find(([pattern]) => pattern.test(words))?.[1] ?? exhaustedScope(limits);
  if (!/per[-_ ]?day|daily|\b[RT]PD\b/i.test(words)) return spoken;
  return spoken === 'requests' ? 'requests_day' : spoken?.endsWith('tokens') ? 'tokens_day' : spoken;
}

function resetsOf(...all: readonly Limits[]): Record<string, number> | undefined {
  const known = all.flatMap((limits) => [...limits].filter(([, { resetMs }]) => resetMs !== undefined));
  return known.length === 0
    ? undefined
    : Object.fromEntries(known.map(([dimension, { resetMs }]) => [dimension, resetMs!]));
}

function rulesOf(provider: unknown): ProviderRules {
  const name = typeof provider === 'string' ? provider.toLowerCase() : '';
  return PROVIDERS.find((rules) => rules.name.test(name)) ?? NO_RULES;
}

function hasEmitted(answer: Answer, body: unknown): boolean {
  const emitted = read(answer, 'outputEmitted');
  if (typeof emitted === 'boolean' || read(answer, 'streamPhase') !== 'mid') return emitted === true;
  return typeof body === 'string' ? holdsOutput(body) : true;
}

function nowOf(answer: Answer, headers: HeaderMap): number | undefined {
  return referenceMs({ receivedAt: read(answer, 'receivedAt') as number | string, date: headers.get('date') });
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** Of an answer, or of an SDK's error: `status` (OpenAI, Anthropic), `statusCode` (AI SDK), `$metadata` (AWS). */
function statusIn(from: unknown): number | undefined {
  const found = [read(from, 'status'), read(from, 'statusCode'), read(read(from, '$metadata'), 'httpStatusCode')];
  return found.find((status): status is number => typeof status === 'number' && status >= 100 && status < 1_000);
}

/** The body that an SDK's error carries; the error itself, if it carries none. */
function bodyOf(error: unknown): unknown {
  return read(error, 'error') ?? read(error, 'responseBody') ?? read(error, 'body') ?? error;
}

/** The HTTP status that an error without one names in its codes, or in brackets in its sentence. */
function statusInside({ codes, text }: Evidence): number | undefined {
  const named = / ([345]\d\d) /.exec(codes) ?? /\[([45]\d\d)\]/.exec(text);
  return named ? Number(named[1]) : undefined;
}
