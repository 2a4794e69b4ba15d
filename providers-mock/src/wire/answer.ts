/**
 * What goes over the wire, as data: an answer with its pace and its ending, and how a provider's errors look. Verdicts are
 * rendered into these and adapters send them; nothing here knows a socket, a clock or a random number.
 */

/** The dialects that the mock speaks; the path of a request says which one it is in. */
export type WireStyle = 'openai' | 'openai-responses' | 'anthropic' | 'gemini';

export type WireAnswer = WholeAnswer | StreamedAnswer | NoAnswer;

/** What comes instead of an answer: silence, or the connection torn down before a byte of it. */
export interface NoAnswer {
  readonly kind: 'nothing';
  /** Milliseconds ≥ 0 from the request to the end of the connection. */
  readonly afterMs: number;
  readonly ending: 'reset' | 'hang';
}

/** An answer whose body is there at once: JSON, an HTML page, nothing. */
export interface WholeAnswer extends AnswerHead {
  readonly kind: 'whole';
  readonly body: string;
}

/** An answer whose body comes in pieces: server-sent events, or any other body at a pace of its own. */
export interface StreamedAnswer extends AnswerHead {
  readonly kind: 'streamed';
  readonly frames: Iterable<WireFrame>;
}

export interface AnswerHead {
  readonly status: number;
  /** Names in lower case. `date` only where it lies; it, `content-length` and `transfer-encoding` are the adapter's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds ≥ 0 from the request to the first byte of the head. */
  readonly afterMs: number;
  /** After the last byte: a proper end; the connection torn down; silence until the client goes away. */
  readonly ending: 'end' | 'reset' | 'hang';
}

/**
 * A head that goes out while the request still waits to be worked on, and then bytes that mean nothing, now and again. What
 * the answer turns out to be comes after them, under a status of 200 whatever its own is.
 */
export interface KeepAlive {
  readonly headers: Readonly<Record<string, string>>;
  readonly data: string;
  readonly everyMs: number;
}

export interface WireFrame {
  /** Milliseconds ≥ 0 since the frame before, or since the head. */
  readonly afterMs: number;
  readonly data: string | Uint8Array;
}

/**
 * Why a request is not answered as asked: a quota refused it, the caller was wrong, or the provider failed. A refusal of
 * scope `overload` is the case of its status.
 */
export type ErrorCase =
  | 'concurrency'
  | 'requests'
  | 'tokens'
  | 'ramp'
  /** The request alone exceeds the whole quota. */
  | 'too-large'
  | 'unauthorized'
  | 'unknown-path'
  | 'wrong-method'
  | 'malformed'
  | 'body-too-large'
  | 'unknown-model'
  | 'status-500'
  | 'status-502'
  | 'status-503'
  | 'status-529';

/**
 * JSON with placeholders. A string that is one placeholder, `'{code}'`, becomes the value itself, a number or null among
 * them; within a longer string the value is written out. What stands in square brackets is left out where one of its
 * placeholders has no value: `'Slow down.[ Try again in {waitGo}.]'`. Elsewhere a placeholder without a value takes its
 * member out of the object, and an element of an array goes whole when anything in it has no value.
 *
 * | placeholder | value |
 * |---|---|
 * | message, and the names in `fields` | of the error's form |
 * | status, requestId | of this answer |
 * | method, path, model | of the request |
 * | reason | what is wrong with the request, a sentence; `malformed` only |
 * | quota | name of the quota that refused |
 * | limit, used, remaining, requested | of that quota, in its units; `requested` is what this request would take |
 * | limitText, limitGrouped | the limit as text: 30000, 30,000 |
 * | unit | requests, tokens, input tokens, output tokens, concurrent requests |
 * | period, Period | minute, Minute; second, hour, day, or 10 seconds; none for a concurrency quota |
 * | dimension | tokens per min (TPM), requests per day (RPD), concurrent requests |
 * | waitGo | 9.816s, 644ms, 7m12s; the hint, where `hints` has `body` |
 * | waitSeconds | 10; whole seconds, rounded up |
 * | waitDecimal | 9.816; seconds |
 * | waitMs | 9816 |
 * | resetUtc, resetEpochMs | when that quota is full again: 2026-11-30 12:00:41 UTC |
 */
export type JsonTemplate =
  | string
  | number
  | boolean
  | null
  | readonly JsonTemplate[]
  | { readonly [member: string]: JsonTemplate };

/** How one kind of error looks. All strings are templates. */
export interface ErrorForm {
  readonly status: number;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string | number | null>>;
  /** Instead of the style's body. */
  readonly body?: JsonTemplate;
  /** Where it comes inside a success, and no header can say what it is. Default: as elsewhere. */
  readonly insideBody?: JsonTemplate;
  /** Besides the hints and the rate-limit headers. Names in lower case; one without a value is left out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** To a streaming request: as a plain answer, or as the first frame of a stream that began with status 200. */
  readonly streamed?: 'before' | 'frame';
}

/** Where a refusal shows its hint. `body` gives the placeholders of a wait their values. */
export type HintPlace =
  /** `retry-after: 10`, rounded up. */
  | 'retry-after'
  /** `retry-after: 9.816` */
  | 'retry-after-decimal'
  | 'retry-after-date'
  /** `retry-after-ms: 9816`, with decimals where the hint has them. */
  | 'retry-after-ms'
  | 'body';

/** How a provider's errors and limits look on the wire, as data; a profile has one. */
export interface RefusalStyle {
  /** Of every error that has no body of its own. */
  readonly body: JsonTemplate;
  /** Cases that are not listed look as in the dialect. */
  readonly errors: Readonly<Partial<Record<ErrorCase, ErrorForm>>>;
  /** By name of the quota that refused; goes before `errors`, but not before their `too-large`. */
  readonly quotas?: Readonly<Record<string, ErrorForm>>;
  /** `as-stated`: one header, in the form that the model's `retryAfter` names. */
  readonly hints: 'as-stated' | readonly HintPlace[];
  readonly rateLimits: RateLimitStyle;
  /** The header with the id of the answer; null = none. */
  readonly requestIdHeader: string | null;
}

/** How the provider tells where its quotas stand. */
export type RateLimitStyle =
  | { readonly kind: 'none' }
  /** `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers, an item per quota, by its name. */
  | { readonly kind: 'ietf'; readonly on: 'every-answer' | 'refusals' }
  | {
      readonly kind: 'headers';
      readonly on: 'every-answer' | 'refusals';
      readonly dimensions: readonly RateLimitDimension[];
    };

/** The headers of one dimension; a header that is not named is not sent, nor any where no quota fits. */
export interface RateLimitDimension {
  /**
   * The quota that the numbers come from: a name, or a kind, of which the quota with the least left of its limit is taken.
   * `tokens` is any quota that counts tokens.
   */
  readonly of: 'requests' | 'tokens' | 'input-tokens' | 'output-tokens' | { readonly quota: string };
  readonly limit?: string;
  readonly remaining?: string;
  /** The remaining is told in these steps: to the nearest thousand. Default 1, rounded down. */
  readonly remainingStep?: number;
  /** Until the quota is full again, never until the next request fits. */
  readonly reset?: string;
  readonly resetAs?: ResetForm;
  /** The length of the window, in whole seconds. */
  readonly period?: string;
}

/** `go`: 6m0s, 1m0.052s, 6ms. `seconds`: whole, rounded up. Default `go`. */
export type ResetForm = 'go' | 'seconds' | 'decimal-seconds' | 'rfc3339' | 'epoch-seconds' | 'epoch-ms';
