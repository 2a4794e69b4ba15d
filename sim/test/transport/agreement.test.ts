/**
 * One script of requests, sent at the same times through the simulated provider and over HTTP to the same provider served:
 * the same class of every answer, the same hint as far as its form can say it, the same tokens, and the same books in the
 * end. Time is moved by hand on both sides; the sockets are real.
 */

import { ManualClock } from '@tidegate/governor/testing';
import { profileNames } from '@tidegate/providers-mock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Kernel, PHASE } from '../../src/kernel/kernel.js';
import { RandomStreams } from '../../src/kernel/random.js';
import type { Scheduler } from '../../src/kernel/scheduler.js';
import type { ProviderSettings } from '../../src/scenario/scenario.js';
import type { CountedModel } from '../../src/trace/events.js';
import { openLoopback } from '../../src/transport/loopback-transport.js';
import { SimulatedTransport } from '../../src/transport/simulated.js';
import type { Attempt, AttemptEnd, Luck, Transport } from '../../src/transport/transport.js';
import { WallTime } from '../../src/transport/wall-time.js';
import { scenarioText } from '../simulate.js';

interface Sending {
  /** Since the one before. */
  readonly afterMs: number;
  readonly input: number;
  /** Of the input, the share that is in the prompt cache. */
  readonly cached: number;
  readonly output: number;
  readonly max: number;
}

interface Outcome {
  readonly ends: readonly (AttemptEnd | undefined)[];
  readonly ledger: Readonly<Record<string, CountedModel>>;
}

const SEED = 7;
/** Whoever has no answer by then gets none. */
const LAST_MS = 60_000;

function luckOf(streams: RandomStreams, request: number): Luck {
  const stream = (purpose: string) => streams.stream(`${request}/${purpose}`);
  const [service, prompt, mode] = [stream('service'), stream('prompt'), stream('mode')];
  return { service, prompt, mode, refusal: stream('refusal'), hint: stream('hint'), fault: stream('fault') };
}

type Providers = Readonly<Record<string, ProviderSettings>>;

/** Sends by the scheduler's time; fills in the ends as they come. */
function play(script: readonly Sending[], scheduler: Scheduler, transport: Transport, streams: RandomStreams) {
  const ends: (AttemptEnd | undefined)[] = script.map(() => undefined);
  const sentAt: number[] = [];
  let atMs = 0;
  for (const [i, { afterMs, input, cached, output, max }] of script.entries()) {
    atMs += afterMs;
    sentAt.push(atMs);
    const attempt: Attempt = {
      ...{ provider: 'acme', model: 'm', inputTokens: input, outputTokens: output, maxTokens: max },
      cachedTokens: Math.floor(input * cached),
      luck: luckOf(streams, i),
      answered(end) {
        ends[i] = end;
      },
    };
    const send = (): void => void transport.send(attempt);
    scheduler.after(atMs, PHASE.dispatch, send, undefined);
  }
  return { ends, sentAt };
}

function simulated(providers: Providers, script: readonly Sending[]): Outcome {
  const kernel = new Kernel();
  const streams = new RandomStreams(SEED);
  const transport = new SimulatedTransport(kernel, providers, streams);
  const { ends } = play(script, kernel, transport, streams);
  kernel.run(LAST_MS);
  return { ends, ledger: transport.ledger() };
}

async function overHttp(providers: Providers, script: readonly Sending[]): Promise<Outcome> {
  const clock = new ManualClock();
  const streams = new RandomStreams(SEED);
  const { scheduler, transport } = await openLoopback({ providers, streams, time: new WallTime({ clock }) });
  const { ends, sentAt } = play(script, scheduler, transport, streams);
  const errors: unknown[] = [];
  const run = scheduler.run({ onError: (error) => errors.push(error), isAwaited: () => true });
  try {
    const decided = (): number =>
      Object.values(transport.ledger()).reduce((sum, { admitted, refused }) => sum + admitted + refused, 0);
    // The provider has got all that is due before time goes on; what it answers may be on its way for longer.
    while (clock.now() < LAST_MS) {
      const next = Math.min(LAST_MS, clock.nextAt ?? LAST_MS, ...sentAt.filter((at) => at > clock.now()));
      clock.advance(next - clock.now());
      const due = sentAt.filter((at) => at <= next).length;
      await until(() => errors.length > 0 || decided() === due);
    }
    const { inFlight = 0 } = transport.ledger()['acme/m'] ?? {};
    await until(() => errors.length > 0 || transport.inFlight === inFlight);
    expect(errors).toEqual([]);
    return { ends, ledger: transport.ledger() };
  } finally {
    scheduler.stop();
    await run;
    await transport.close();
  }
}

/** Turns of the event loop, two at least: for what is written to be read, and for what is read to be answered. */
async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 2 || !holds(); turns++) {
    if (turns > 1_000_000) throw new Error(`never comes to hold: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How far two hints may lie apart: a date or an instant among them has whole seconds, and is read when it arrives. */
function expectAgreement(seen: Outcome, expected: Outcome, withinMs: number): void {
  const told = ({ ends, ledger }: Outcome) => ({
    ends: ends.map((end) => {
      if (end === undefined) return undefined;
      if (end.class === 'ok') {
        const { class: verdict, inputTokens, outputTokens, fault } = end;
        return { class: verdict, inputTokens, outputTokens, fault };
      }
      const { class: verdict, retryAfterMs, scope, refusedBy, fault } = end;
      return { class: verdict, hint: retryAfterMs === null ? null : 'a wait', scope, refusedBy, fault };
    }),
    ledger,
  });
  expect(told(seen)).toEqual(told(expected));
  const waits = ({ ends }: Outcome) => ends.map((end) => (end && end.class !== 'ok' ? (end.retryAfterMs ?? 0) : 0));
  const apart = waits(expected).map((wait, i) => Math.abs(wait - (waits(seen)[i] as number)));
  expect(Math.max(...apart)).toBeLessThanOrEqual(withinMs);
}

// Requests leave at whole tenths of a second, and no answer comes at one: nothing is left to who comes first.
const script = fc.array(
  fc.record({
    afterMs: fc.oneof(
      { weight: 3, arbitrary: fc.constant(100) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }).map((n) => n * 100) },
    ),
    input: fc.integer({ min: 1, max: 60 }),
    cached: fc.constantFrom(0, 0, 0.5, 1),
    output: fc.integer({ min: 1, max: 8 }),
    max: fc.integer({ min: 8, max: 40 }),
  }),
  { minLength: 2, maxLength: 9 },
);

const per = fc.constantFrom('2s', '10s', '1m', '1h', '24h');
const refill = fc.constantFrom('token-bucket', 'fixed-window', 'sliding-window');
const refusedCount = fc.boolean();
const quota = fc.oneof(
  fc.record({ concurrency: fc.integer({ min: 0, max: 2 }), refusedCount }),
  fc.record({ requests: fc.integer({ min: 0, max: 4 }), per, refill, refusedCount }),
  fc
    .record({
      tokens: fc.integer({ min: 20, max: 200 }),
      per,
      refill,
      counts: fc.constantFrom('input', 'output', 'total'),
      reserve: fc.constantFrom('none', 'estimate', 'max-tokens', 'larger'),
      settle: fc.constantFrom('refund', 'keep'),
      cached: fc.constantFrom('counted', 'free'),
      refusedCount,
    })
    .map(({ cached, ...rest }) => (rest.counts === 'output' ? rest : { ...rest, cached })),
  fc.record({
    tokens: fc.integer({ min: 20, max: 60 }),
    per,
    refill: fc.constant('token-bucket'),
    burst: fc.integer({ min: 20, max: 120 }),
  }),
  fc.record({ ramp: fc.constantFrom('0%', '50%'), over: fc.constant('2m'), above: fc.constantFrom('1/s', '3/m') }),
);
const quotas = fc.array(quota, { maxLength: 2 }).map((all) => all.map((each, i) => ({ name: `q${i}`, ...each })));

const retryAfter = fc.oneof(
  fc.constantFrom('none', 'exact', '20s', '15m', { as: 'ms', error: '30%' }, { as: 'http-date' }),
  fc.constantFrom(
    { as: 'seconds', rounding: 'up' },
    { as: 'ms', rounding: 'up', factor: 3 },
    { stale: '7s', as: 'ms' },
  ),
  fc.constantFrom({ constant: '1500ms', as: 'seconds', scopes: ['concurrency', 'overload'] }, { constant: 0 }),
);

const STREAMED = { firstToken: '26ms', perOutputToken: '20ms', refusal: '5ms' };
const latency = fc.constantFrom(STREAMED, { service: '43ms', refusal: '5ms' });
const kinds = [
  ...['status-500', 'status-502', 'status-503', 'status-529', 'html-page', 'empty-body', 'truncated-json'],
  ...['reset', 'hang', 'slow', 'cut-stream', 'error-event', 'error-in-200', 'no-headers'],
];
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const model = fc.record({
  quotas,
  retryAfter,
  latency,
  overload: optional(
    fc.record({ every: fc.constant('3s'), for: fc.constant('2s'), status: fc.constantFrom(503, 529) }),
  ),
  server: optional(
    fc.record({
      slots: fc.integer({ min: 1, max: 2 }),
      queue: fc.constantFrom(0, 2, 'unlimited'),
      keepAlive: optional(fc.constant('30ms')),
    }),
  ),
  faults: optional(
    fc.record({ kind: fc.constantFrom(...kinds), rate: fc.constantFrom('40%', '100%') }).map((fault) => [fault]),
  ),
});

const own = fc.record({ wire: fc.constantFrom('openai', 'anthropic', 'gemini'), models: fc.record({ m: model }) });

/** A real provider's ways, with some of its fields overridden. */
const profiled = fc.record({
  profile: fc.constantFrom(...profileNames),
  quotas: optional(fc.constant([])),
  models: fc.record({
    m: fc.record({ model, keepsHints: fc.boolean() }).map(({ model: { retryAfter: hint, ...rest }, keepsHints }) => ({
      ...rest,
      ...(!keepsHints && { retryAfter: hint }),
    })),
  }),
});

function providersOf(acme: unknown): Providers {
  const workload = { runs: [{ id: 'r', target: 'acme/m', timeout: '1m', agents: { count: 1 } }] };
  return scenarioText(JSON.stringify({ name: 'agreement', providers: { acme }, workload })).providers;
}

describe('the simulated provider and the one that is served', () => {
  it.each([
    ['whatever a scenario says of it', own],
    ["with a real provider's ways", profiled],
  ])(
    'agree on any script, %s',
    async (_, settings) => {
      await fc.assert(
        fc.asyncProperty(settings, script, async (acme, requests) => {
          const providers = providersOf(acme);
          expectAgreement(await overHttp(providers, requests), simulated(providers, requests), 2_000);
        }),
        { numRuns: 40 },
      );
    },
    60_000,
  );

  it.each(['openai', 'anthropic', 'gemini'])(
    'agree on every fault of a request that was kept alive while it waited, %s',
    async (wire) => {
      const requests = Array.from({ length: 4 }, () => ({ afterMs: 10, input: 1, cached: 0, output: 6, max: 8 }));
      for (const latency of [STREAMED, { service: '143ms', refusal: '5ms' }]) {
        for (const kind of kinds) {
          const server = { slots: 1, queue: 'unlimited', keepAlive: '30ms' };
          const faults = [{ kind, rate: '50%' }];
          const providers = providersOf({ wire, models: { m: { latency, server, faults } } });
          expectAgreement(await overHttp(providers, requests), simulated(providers, requests), 2_000);
        }
      }
    },
    60_000,
  );
});
