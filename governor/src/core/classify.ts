/**
 * What an answer means: `classify`, a pure function from one attempt's end to its class, hint, scope and resets.
 *
 * The words decide before the status, where they can be trusted; a body that cannot be read changes nothing. Never throws,
 * reads no clock, keeps no state.
 */
import type { Answer, AnswerClass, Classification, Scope } from './answer.js';
import { type Evidence, holdsOutput, inspectSuccess, readError } from './answer-body.js';
import {
  type HeaderMap,
  isConcurrencyExhausted,
  type Limit,
  type Limits,
  read,
  readHeaders,
  readLimits,
  readRateLimit,
} from './answer-headers.js';
import { CERTAIN, GENERIC, PROVIDERS, type ProviderRules, type Rule, SCOPES, STATUS } from './provider-rules.js';
import { type Now, referenceMs } from './retry-after.js';
import { exhaustedReset, exhaustedScope, statedWait } from './stated-wait.js';

/** A refusal that asks for more than this is a quota used up, and no re-send of this attempt can wait for it. */
const HORIZON_MS = 600_000;

const OK: Classification = Object.freeze({ class: 'ok', retryAfterMs: null, reducesCap: false, retryable: false });
const NO_EVIDENCE: Evidence = readError();
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
const SIZES = /limit:? ([\d,]+)(?:, used:? [\d,]+)?, requested:? ([\d,]+)/;
const LIMIT_HEADER = /^(?!content|date|retry)/;

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
    const status = statusOf(answer);
    return isSuccess(status) ? OK : conclude(status, NO_EVIDENCE, NO_CONTEXT);
  }
}

/** What is known besides the status and the error. */
interface Context {
  readonly headers: HeaderMap;
  readonly rules: ProviderRules;
  readonly now: Now;
  /** The error came inside a 2xx. */
  readonly isLate: boolean;
  /** A re-send is out of the question: output was emitted, or the caller went away. */
  readonly isFinal: boolean;
}

const NO_CONTEXT: Context = {
  headers: new Map(),
  rules: NO_RULES,
  now: () => undefined,
  isLate: false,
  isFinal: false,
};

function judge(answer: Answer): Classification {
  const status = statusOf(answer);
  const headers = readHeaders(read(answer, 'headers'));
  const error = read(answer, 'error') ?? undefined;
  const body = read(answer, 'body') ?? read(error, 'error') ?? error;
  const isLate = isSuccess(status);
  if (isLate && body === undefined) return succeed(answer, headers);

  const rules = rulesOf(read(answer, 'provider'));
  const named = { type: headers.get('x-amzn-errortype') };
  const thrown = { name: read(error, 'name'), code: read(error, 'code'), message: read(error, 'message') };
  const isFinal = hasEmitted(answer, body) || ABORTED.test(readError(thrown).codes);
  const context: Context = { headers, rules, now: nowOf(answer, headers), isLate, isFinal };
  if (!isLate) {
    const evidence = readError(named, thrown, body);
    return conclude(status ?? statusInside(evidence), evidence, context);
  }
  const inspection = inspectSuccess(body, headers.get('content-type') ?? '', rules.required);
  if (inspection.kind === 'error') return conclude(statusInside(inspection.evidence), inspection.evidence, context);
  if (error !== undefined) return conclude(undefined, NO_EVIDENCE, context);
  // 204 and the like are empty by right.
  if (inspection.kind === 'complete' || (body === '' && status !== 200)) return succeed(answer, headers);
  // Kept waiting and closed unserved: the provider had no capacity.
  const isTurnedAway = inspection.kind === 'silent' && (rules.holdsOpen || KEEP_ALIVE.test(String(body)));
  return conclude(isTurnedAway ? 503 : undefined, NO_EVIDENCE, context);
}

function succeed(answer: Answer, headers: HeaderMap): Classification {
  // Most answers announce no limit, and then nobody needs to know the time.
  for (const name of headers.keys()) {
    if (!LIMIT_HEADER.test(name)) continue;
    const resets = resetsOf([...readLimits(headers, nowOf(answer, headers)), ...readRateLimit(headers)]);
    return resets ? { ...OK, resets } : OK;
  }
  return OK;
}

/** `status` is the one that an error inside a 2xx names, if it came so. */
function conclude(status: number | undefined, evidence: Evidence, context: Context): Classification {
  const { rules, now } = context;
  const headers = readHeaders(evidence.headers, new Map(context.headers));
  const limits = readLimits(headers, now);
  const rateLimit = readRateLimit(headers);
  // A redirect is a wrong base URL, whatever it says.
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  const rule = isRedirect ? undefined : findRule(status, evidence, rules);
  let verdict = hasNoAccess(status, limits, rules) ? 'quota_exhausted' : (rule?.[3] ?? classOf(status));

  const isLimited = verdict === 'throttle' || verdict === 'quota_exhausted';
  const scope =
    rule?.[4] ??
    (isLimited ? scopeOf(evidence, headers, limits, rateLimit) : undefined) ??
    (context.isLate && verdict === 'throttle' ? rules.streamScope : undefined);

  let hint = isRedirect ? null : statedWait(headers, evidence, rules, now);
  if (hint === null && (isLimited || (rules.resetIsWait && verdict === 'overload'))) {
    hint = exhaustedReset(limits, rules, scope) ?? exhaustedReset(rateLimit, NO_RULES, undefined);
  }
  const isBeyond = hint !== null && hint > HORIZON_MS;
  // A day's quota refills in seconds only where the answer says so.
  const isDaySpent = hint === null && scope?.endsWith('_day');
  if (verdict === 'throttle' && (isBeyond || isDaySpent)) verdict = 'quota_exhausted';
  if (verdict === 'overload' && isBeyond && status === 429) verdict = 'quota_exhausted';
  if (verdict === 'quota_exhausted' && rules.shortWaitMisleads && !isBeyond) hint = null;

  const reducesCap = verdict === 'throttle' || verdict === 'overload';
  // A 413 with a wait is temporary, unless its words say that no wait helps.
  const isTemporary = reducesCap || verdict === 'transient' || (status === 413 && !rule && hint !== null);
  const override = headers.get('x-should-retry');
  const mayRetry = override === 'true' || (override !== 'false' && isTemporary && !isBeyond);
  const resets = resetsOf([...limits, ...rateLimit]);
  return {
    class: verdict,
    retryAfterMs: hint,
    reducesCap,
    retryable: mayRetry && !context.isFinal,
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
  const types = `type:${headers.get('x-ratelimit-type')} type:${headers.get('rate_limit_type')}`.toLowerCase();
  const words = `${evidence.codes}${evidence.text} ${types}`;
  const spoken = SCOPES.find(([pattern]) => pattern.test(words))?.[1] ?? exhaustedScope(limits);
  if (!/per[-_ ]?day|daily|\b[rt]pd\b/.test(words)) return spoken;
  return spoken === 'requests' ? 'requests_day' : spoken?.endsWith('tokens') ? 'tokens_day' : spoken;
}

function resetsOf(limits: readonly [dimension: string, limit: Limit][]): Record<string, number> | undefined {
  const known = limits.flatMap(([dimension, { resetMs }]) => (resetMs === undefined ? [] : [[dimension, resetMs]]));
  return known.length === 0 ? undefined : Object.fromEntries(known);
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

function nowOf(answer: Answer, headers: HeaderMap): Now {
  return () => referenceMs({ receivedAt: read(answer, 'receivedAt') as number | string, date: headers.get('date') });
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function statusOf(answer: Answer): number | undefined {
  const status = read(answer, 'status');
  return typeof status === 'number' && status >= 100 && status < 1_000 ? status : undefined;
}

/** The HTTP status that an error without one names in its codes, or in brackets in its sentence. */
function statusInside({ codes, text }: Evidence): number | undefined {
  const named = / ([345]\d\d) /.exec(codes) ?? /\[([45]\d\d)\]/.exec(text);
  return named ? Number(named[1]) : undefined;
}
