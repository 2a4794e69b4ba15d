/**
 * What the governor is told of one attempt's end (`Answer`), and what it concludes from it (`Classification`).
 *
 * Types only. Everything in an `Answer` is optional and untrusted: it comes from the wire, from an SDK's error, or from
 * an adapter that saw only part of the exchange.
 */

/** How an attempt ended, as the governor sees it. `throttle` and `overload` are the two that cut a cap. */
export type AnswerClass =
  | 'ok'
  | 'throttle'
  | 'overload'
  | 'quota_exhausted'
  | 'transient'
  | 'auth'
  | 'bad_request'
  | 'request_too_large'
  | 'context_length'
  | 'content_policy';

/**
 * Which limit refused. `concurrency`: requests in flight at once. `requests`, `tokens`, `input_tokens`,
 * `output_tokens`: a rate over a second, minute or hour. `requests_day`, `tokens_day`: the same over a day.
 * `ramp`: the load grew too fast, whatever its level. `utilization`: reserved capacity is in full use.
 */
export type Scope =
  | 'concurrency'
  | 'requests'
  | 'requests_day'
  | 'tokens'
  | 'tokens_day'
  | 'input_tokens'
  | 'output_tokens'
  | 'ramp'
  | 'utilization';

/** A `Headers` instance (or anything with its `forEach`), or a plain record whose names may be in any case. */
export type AnswerHeaders =
  | { forEach(visit: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

/** One attempt's end. */
export interface Answer {
  /** Who answered, as in `Key.provider`. An unknown or absent name gets the generic rules. */
  readonly provider?: string | undefined;
  /** The HTTP status. Absent when no response head arrived, or when an SDK reports an error of a stream. */
  readonly status?: number | undefined;
  readonly headers?: AnswerHeaders | null | undefined;
  /** Text or parsed JSON. Of a stream: the text so far. Absent = not looked at: a 2xx without a body counts as `ok`. */
  readonly body?: unknown;
  /** `before`: the refusal came instead of the stream. `mid`: the stream had opened. */
  readonly streamPhase?: 'before' | 'mid' | undefined;
  /**
   * Whether the caller has seen generated output. Absent with `streamPhase: 'mid'`: read from the text of the body if
   * there is any, else taken as true, since a replay could duplicate output.
   */
  readonly outputEmitted?: boolean | undefined;
  /** When the answer arrived on the client's wall clock: epoch milliseconds or an ISO instant. */
  readonly receivedAt?: number | string | undefined;
  /** What was thrown: a network error, or an SDK's error, whose status, headers and body fill what is absent here. */
  readonly error?: unknown;
}

/** What an answer means for the cap and for a retry. */
export interface Classification {
  readonly class: AnswerClass;
  /** The provider's hint, raw and unclamped, in whole milliseconds rounded up; null = none or unusable. */
  readonly retryAfterMs: number | null;
  /** True exactly for `throttle` and `overload`. */
  readonly reducesCap: boolean;
  /** Whether an unchanged re-send may succeed within ten minutes and would not duplicate output. */
  readonly retryable: boolean;
  /** The limit that refused; absent when nothing tells. */
  readonly scope?: Scope;
  /** Until each announced limit is full again, in milliseconds by dimension: an upper bound, never a wait. */
  readonly resets?: Readonly<Record<string, number>>;
}
