/**
 * The luck of a mock that is served to this very process. Each attempt carries a token in a header, and by it the mock
 * draws from the attempt's own streams, as the simulated provider does: the same sizes, times, hints and faults, request
 * by request. What is learnt of the attempt on that side is kept for this one.
 */

import { type FaultKind, type FaultSpec, pickFault } from '@tidegate/providers-mock';
import type { AnswerTimes, DrawnFor, ModelDraws, Served } from '@tidegate/providers-mock/server';
import type { ModelSettings } from '../scenario/scenario.js';
import { drawService, type LatencySamplers, samplersOf } from './service-times.js';
import type { Attempt, AttemptEnd } from './transport.js';

export const TOKEN_HEADER = 'x-tidegate-attempt';

/** An attempt, and what the mock has made of it so far. */
export class ServedAttempt {
  readonly attempt: Attempt;
  /** Draws of one kind mean different things to those that are admitted and those that are refused. */
  isAdmitted = false;
  refusedBy: string | undefined;
  fault: FaultKind | null = null;
  /** How long an early end takes; null until it is drawn. */
  earlyMs: number | null = null;
  tellsFirstToken = true;

  constructor(attempt: Attempt) {
    this.attempt = attempt;
  }

  /** The end as it came over the wire, and what only the mock can say of it. */
  told(end: AttemptEnd): AttemptEnd {
    const { fault, refusedBy, tellsFirstToken } = this;
    if (end.class === 'ok') {
      return { ...end, ...(!tellsFirstToken && { firstTokenMs: null }), ...(fault !== null && { fault }) };
    }
    // Of all faults only missing headers reach a refusal.
    if (refusedBy !== undefined) return { ...end, refusedBy, ...(fault === 'no-headers' && { fault }) };
    return { ...end, ...(fault !== null && { fault }) };
  }
}

export class ServedAttempts {
  readonly #byToken = new Map<string, ServedAttempt>();
  #tokens = 0;

  /** Returns the token under which it is found. */
  enter(served: ServedAttempt): string {
    this.#tokens++;
    const token = String(this.#tokens);
    this.#byToken.set(token, served);
    return token;
  }

  leave(token: string): void {
    this.#byToken.delete(token);
  }

  /** Undefined for an attempt that was abandoned before its request was read: nobody will see the answer. */
  of({ headers }: DrawnFor): ServedAttempt | undefined {
    return this.#byToken.get(String(headers[TOKEN_HEADER]));
  }
}

export interface ServedModelOptions {
  readonly attempts: ServedAttempts;
  /** Milliseconds since the start of the run. */
  readonly nowMs: () => number;
  /** The counts of the model, as they are now. */
  readonly refusedBy: () => Readonly<Record<string, number>>;
}

/** One model of the served mock: draws for whoever asks, from that attempt's streams. */
export class ServedModel implements ModelDraws {
  readonly #options: ServedModelOptions;
  #latency: LatencySamplers;
  #faults: readonly FaultSpec[] | undefined;
  /** Refusals told apart by quota so far. */
  #refusedBy: Readonly<Record<string, number>> = {};

  constructor(settings: ModelSettings, options: ServedModelOptions) {
    this.#options = options;
    this.#latency = samplersOf(settings.latency);
    this.#faults = settings.faults;
  }

  become({ latency, faults }: ModelSettings): void {
    this.#latency = samplersOf(latency);
    this.#faults = faults;
  }

  fault(request: DrawnFor): number {
    const served = this.#options.attempts.of(request);
    if (served === undefined) return 0;
    const random = served.attempt.luck.fault.next();
    served.fault = pickFault(this.#faults ?? [], this.#options.nowMs(), random);
    return random;
  }

  /** Asked of refusals alone, when the refusal has just been counted. */
  hint(request: DrawnFor): number {
    const refusedBy = this.#options.refusedBy();
    const quota = Object.keys(refusedBy).find((name) => refusedBy[name] !== (this.#refusedBy[name] ?? 0));
    this.#refusedBy = refusedBy;
    const served = this.#options.attempts.of(request);
    if (served === undefined) return 0;
    served.refusedBy = quota;
    return served.attempt.luck.hint.next();
  }

  refusalMs(request: DrawnFor): number {
    const served = this.#options.attempts.of(request);
    if (served === undefined) return 0;
    if (!served.isAdmitted) return this.#latency.refusalMs(served.attempt.luck.refusal);
    served.earlyMs ??= this.#latency.refusalMs(served.attempt.luck.fault);
    return served.earlyMs;
  }

  /** Asked of those that are admitted alone. */
  outputTokens(request: DrawnFor): number {
    const served = this.#options.attempts.of(request);
    if (served === undefined) return 1;
    served.isAdmitted = true;
    return Math.max(1, served.attempt.outputTokens);
  }

  times(request: DrawnFor, { inService }: Served): AnswerTimes {
    const served = this.#options.attempts.of(request);
    if (served === undefined) return { firstTokenMs: 0, totalMs: 0 };
    const { firstTokenMs, totalMs, tellsFirstToken } = drawService(this.#latency, served.attempt, inService);
    served.tellsFirstToken = tellsFirstToken;
    // Drawn for every answer where there are faults, so that a fault shifts no later one.
    if (this.#faults !== undefined) this.refusalMs(request);
    return { firstTokenMs, totalMs };
  }
}
