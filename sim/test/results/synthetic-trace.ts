/**
 * Valid traces at random: a gate of a fixed cap, runs that take turns, requests with the outcomes that were drawn. Written
 * to be read, with nothing of the governor's or of the folds' code, so that the two can be held against each other.
 */

import * as fc from 'fast-check';
import type { SettledOutcome, TraceEvent } from '../../src/trace/events.js';
import { KEY, SCENARIO } from './hand-written-trace.js';

export interface PlannedRequest {
  readonly run: 'left' | 'right';
  readonly arrivesUs: number;
  /** Attempts that do not succeed, then how the last one ends. */
  readonly attempts: readonly {
    readonly outcome: SettledOutcome;
    readonly serviceUs: number;
    readonly backoffUs: number;
  }[];
}

export interface Plan {
  readonly cap: number;
  readonly requests: readonly PlannedRequest[];
}

const outcome = fc.constantFrom<SettledOutcome>('succeeded', 'throttled', 'failed', 'ended');
const attempt = fc.record({ outcome, serviceUs: fc.nat(5000), backoffUs: fc.nat(3000) });
const request: fc.Arbitrary<PlannedRequest> = fc.record({
  run: fc.constantFrom('left', 'right'),
  arrivesUs: fc.nat(20_000),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 4 }),
});

export const plans: fc.Arbitrary<Plan> = fc.record({
  cap: fc.integer({ min: 1, max: 4 }),
  requests: fc.array(request, { minLength: 1, maxLength: 30 }),
});

interface Waiting {
  readonly id: number;
  readonly request: PlannedRequest;
  readonly number: number;
  readonly sinceUs: number;
}

/** The trace of a plan; a request ends with its first success, or with its last planned attempt. */
export function traceOf({ cap, requests }: Plan): readonly TraceEvent[] {
  const events: TraceEvent[] = [];
  const due: { readonly atUs: number; readonly act: () => void }[] = [];
  const waiting = { left: [] as Waiting[], right: [] as Waiting[] };
  const turns: ('left' | 'right')[] = [];
  let nowUs = 0;
  let inFlight = 0;
  let peakInFlight = 0;
  let ids = 0;
  const sent = { admitted: 0, refused: 0, abandoned: 0 };
  const ms = (us: number): number => us / 1000;
  const who = ({ id, request: { run }, number }: Waiting) => ({ id, attempt: number, key: KEY, run, agent: `a${id}` });

  const ask = (id: number, planned: PlannedRequest, number: number): void => {
    const one = { id, request: planned, number, sinceUs: nowUs };
    events.push({ t: ms(nowUs), type: 'request-queued', ...who(one) });
    waiting[planned.run].push(one);
    if (waiting[planned.run].length === 1) turns.push(planned.run);
    grant();
  };
  const grant = (): void => {
    while (inFlight < cap && turns.length > 0) {
      const run = turns.shift()!;
      const one = waiting[run].shift()!;
      if (waiting[run].length > 0) turns.push(run);
      inFlight++;
      peakInFlight = Math.max(peakInFlight, inFlight);
      const waitMs = ms(nowUs - one.sinceUs);
      events.push({ t: ms(nowUs), type: 'request-admitted', ...who(one), epoch: 0, waitMs });
      const planned = one.request.attempts[one.number - 1]!;
      due.push({ atUs: nowUs + planned.serviceUs, act: () => settle(one, planned) });
    }
  };
  const settle = (one: Waiting, { outcome, serviceUs, backoffUs }: PlannedRequest['attempts'][number]): void => {
    inFlight--;
    const isOver = outcome === 'succeeded' || one.number === one.request.attempts.length;
    const lost = isOver && outcome !== 'succeeded' ? ({ lost: true } as const) : {};
    const refusedBy = outcome === 'throttled' ? { refusedBy: 'concurrency' } : {};
    if (outcome === 'throttled') sent.refused++;
    else sent.admitted++;
    if (outcome === 'failed' || outcome === 'ended') sent.abandoned++;
    events.push({
      t: ms(nowUs),
      type: 'request-settled',
      ...who(one),
      ...{ outcome, serviceMs: ms(serviceUs), epoch: 0, ...lost, ...refusedBy },
    });
    grant();
    if (isOver) return;
    events.push({ t: ms(nowUs), type: 'retry-scheduled', ...who(one), delayMs: ms(backoffUs) });
    due.push({ atUs: nowUs + backoffUs, act: () => ask(one.id, one.request, one.number + 1) });
  };

  const scenario = { ...SCENARIO, governor: { ...SCENARIO.governor, controller: 'fixed' } };
  const facts = { seed: 1, controller: 'fixed', mode: 'simulated', version: '0.1.0', initial: cap } as const;
  events.push({ t: 0, type: 'trace-started', scenario, ...facts, increaseAfterSuccesses: 4, floor: 1 });
  for (const run of ['left', 'right']) events.push({ t: 0, type: 'run-started', run, bound: 30, agents: 30 });
  for (const planned of requests) due.push({ atUs: planned.arrivesUs, act: () => ask(++ids, planned, 1) });
  while (due.length > 0) {
    const next = due.reduce((first, one) => (one.atUs < first.atUs ? one : first));
    due.splice(due.indexOf(next), 1);
    nowUs = next.atUs;
    next.act();
  }
  const ledger = { [KEY]: { ...sent, peakInFlight, inFlight: 0, refusedBy: { concurrency: sent.refused } } };
  events.push({ t: ms(nowUs), type: 'trace-finished', complete: true, stop: 'done', ledger });
  return events;
}
