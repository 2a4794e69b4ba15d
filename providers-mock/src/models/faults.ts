/**
 * What goes wrong with an answer besides the quotas: faults by name, each at its own rate or time. A fault never decides
 * who is admitted; it replaces what an admitted request would have got. Pure: the random number and the time come in.
 */

import type { Usage } from './verdict.js';

export type FaultKind =
  | 'status-500'
  | 'status-502'
  | 'status-503'
  | 'status-529'
  | 'html-page'
  | 'empty-body'
  | 'truncated-json'
  | 'reset'
  | 'hang'
  | 'slow'
  | 'cut-stream'
  | 'error-event'
  | 'error-in-200'
  | 'no-headers';

export interface FaultSpec {
  readonly kind: FaultKind;
  /** The share of requests that it befalls while it is on; above 0, at most 1. */
  readonly rate: number;
  /** From this time of the run on, until just before `toMs`; null = open. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** What a fault does to one attempt. */
export interface FaultEffect {
  /** What a governor concludes from it; `ok`: the answer is whole all the same. */
  readonly class: 'ok' | 'transient' | 'overload';
  /**
   * When the attempt ends. `early`: as a refusal would; nothing was used. `midway`: after the first token and half of the
   * rest. `whole`: when the answer would have been complete. `slow`: `SLOWNESS` times as late. `never`: when the caller
   * gives up.
   */
  readonly ends: 'early' | 'midway' | 'whole' | 'slow' | 'never';
}

/** How many times as long a slow answer takes. */
export const SLOWNESS = 10;

export const FAULT_EFFECTS: Readonly<Record<FaultKind, FaultEffect>> = {
  /** An error in the provider's own shape, and its status. */
  'status-500': { class: 'transient', ends: 'early' },
  'status-502': { class: 'transient', ends: 'early' },
  'status-503': { class: 'overload', ends: 'early' },
  'status-529': { class: 'overload', ends: 'early' },
  /** A gateway's page in place of JSON, with status 502. */
  'html-page': { class: 'transient', ends: 'early' },
  /** Status 200 and nothing after the head. */
  'empty-body': { class: 'transient', ends: 'whole' },
  /** Status 200, and the body ends in the middle. */
  'truncated-json': { class: 'transient', ends: 'whole' },
  /** The connection is torn down before the head. */
  reset: { class: 'transient', ends: 'early' },
  /** Not a byte, ever. */
  hang: { class: 'transient', ends: 'never' },
  /** Byte by byte. */
  slow: { class: 'ok', ends: 'slow' },
  /** The stream ends without its last event. */
  'cut-stream': { class: 'transient', ends: 'midway' },
  /** The stream ends with an event that says that the provider is overloaded. */
  'error-event': { class: 'overload', ends: 'midway' },
  /** Status 200, and the body holds an error of the provider, code 502. */
  'error-in-200': { class: 'transient', ends: 'early' },
  /** The answer, or the refusal, without the headers that tell limits and waits. */
  'no-headers': { class: 'ok', ends: 'whole' },
};

/** Milliseconds from sending to the end of the attempt; null = never. `refusalMs`: how long an early end takes. */
export function faultEndsAfterMs(
  { ends }: FaultEffect,
  times: { readonly refusalMs: number; readonly firstTokenMs: number; readonly totalMs: number },
): number | null {
  switch (ends) {
    case 'early':
      return times.refusalMs;
    case 'midway':
      return (times.firstTokenMs + times.totalMs) / 2;
    case 'whole':
      return times.totalMs;
    case 'slow':
      return times.totalMs * SLOWNESS;
    case 'never':
      return null;
  }
}

/** What is used of an answer that would have used `whole`. */
export function usedUnderFault({ ends }: FaultEffect, whole: Usage): Usage {
  switch (ends) {
    case 'early':
    case 'never':
      return { inputTokens: 0, outputTokens: 0 };
    case 'midway':
      return { ...whole, outputTokens: Math.ceil(whole.outputTokens / 2) };
    case 'whole':
    case 'slow':
      return whole;
  }
}

/**
 * The fault that befalls a request sent at `nowMs`; null = none. The faults that are on share the unit interval in the
 * order of the list, each as much of it as its rate, so that each comes exactly as often as stated; what is beyond the
 * whole is cut off.
 *
 * @param random in [0, 1); one number per request, whatever comes of it.
 */
export function pickFault(specs: readonly FaultSpec[], nowMs: number, random: number): FaultKind | null {
  let reached = 0;
  for (const { kind, rate, fromMs, toMs } of specs) {
    if ((fromMs !== null && nowMs < fromMs) || (toMs !== null && nowMs >= toMs)) continue;
    reached += rate;
    if (random < reached) return kind;
  }
  return null;
}
