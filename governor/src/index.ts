/** The public surface of `@tidegate/governor`. */

export { AimdController } from './core/aimd.js';
export { announcedLimits, type RateLimit } from './core/announced-limits.js';
export type { Answer, AnswerClass, AnswerHeaders, Classification, Scope } from './core/answer.js';
export {
  type AttemptEnd,
  Attempts,
  type NextRetry,
  nextRetry,
  type ResolvedRetryPolicy,
  type RetryPolicy,
  resolveRetryPolicy,
} from './core/attempts.js';
export { classify } from './core/classify.js';
export {
  type CapChange,
  type CapChangeReason,
  type ConcurrencyController,
  type ControllerSnapshot,
  type Sample,
  THROTTLE_REASONS,
  type ThrottleReason,
} from './core/controller.js';
export { InvariantError } from './core/invariant.js';
export { type AimdOptions, type ResolvedAimdOptions, resolveAimdOptions } from './core/options.js';
export type { StatedTokens } from './core/pacing.js';
export { PRESETS, type Preset, type PresetOptions, withPreset } from './core/presets.js';
export { parseRetryAfter } from './core/retry-after.js';
export type { Ask, AskOptions } from './gate/ask.js';
export { type BucketSnapshot, QueueFullError } from './gate/bucket-settings.js';
export { type Clock, systemClock } from './gate/clock.js';
export type { GovernorEvent, ListenerOptions } from './gate/events.js';
export {
  type AcquireOptions,
  createGovernor,
  type Governor,
  GovernorClosedError,
  type GovernorOptions,
} from './gate/governor.js';
export type { Waiter, Waiting } from './gate/queued-request.js';
export { type RequestOptions, RetryHorizonError } from './gate/request.js';
export type { RequestEvent } from './gate/request-events.js';
export {
  type AmendResult,
  type Run,
  RunClosedError,
  type RunOptions,
  type RunStatus,
  type Starter,
  type StartOptions,
} from './gate/run.js';
export type { Key, Refusal, Ticket } from './gate/ticket.js';
