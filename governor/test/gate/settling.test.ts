import { describe, expect, it } from 'vitest';
import { AimdController } from '../../src/core/aimd.js';
import type { Answer } from '../../src/core/answer.js';
import type { Sample } from '../../src/core/controller.js';
import { createGovernor } from '../../src/gate/governor.js';
import type { Ticket } from '../../src/gate/ticket.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { KEY, stage } from './stage.js';

/** Keeps a copy of each sample it is given. */
class Sampled extends AimdController {
  readonly #samples: unknown[];

  constructor(key: string, samples: unknown[]) {
    super({ key });
    this.#samples = samples;
  }

  override succeeded(now: number, epoch: number, { latencyMs, inFlightAtAdmission }: Sample) {
    this.#samples.push({ latencyMs, inFlightAtAdmission });
    return super.succeeded(now, epoch);
  }
}

const ENDINGS: readonly [string, (ticket: Ticket) => void][] = [
  ['succeed', (ticket) => ticket.succeed()],
  ['throttle', (ticket) => ticket.throttle({ retryAfterMs: 1_000 })],
  ['fail', (ticket) => ticket.fail()],
  ['end', (ticket) => ticket.end()],
  ['release', (ticket) => ticket.release()],
  ['settle', (ticket) => void ticket.settle({ status: 200 })],
  ['dispose', (ticket) => ticket[Symbol.dispose]()],
];

describe('a ticket settles once', () => {
  const pairs = ENDINGS.flatMap(([first, one]) => ENDINGS.map(([then, two]) => [first, then, one, two] as const));

  it.each(pairs)('%s, then %s: the first stands', (_, second, one, two) => {
    const { governor, ask, ticket, look, events, clock } = stage({ initial: 4 });
    ask('a');
    ask('b');
    one(ticket('a'));
    clock.advance(10);
    const [before, told] = [look(), events.length];
    two(ticket('a'));
    expect(look()).toEqual(before);
    expect(governor.snapshot(KEY)?.inFlight).toBe(1);
    const isCounted = second !== 'release' && second !== 'dispose';
    expect(events.slice(told)).toEqual(isCounted ? [{ type: 'settled-twice', at: 10, key: 'p/m' }] : []);
  });

  it('a release in a finally is safe after any of them, and settles what nobody settled', () => {
    const { governor, look } = stage();
    {
      using ticket = governor.tryAcquire(KEY)!;
      expect([ticket.settled, look().inFlight]).toEqual([false, 1]);
    }
    expect(look()).toMatchObject({ inFlight: 0, successStreak: 0 });
  });
});

describe('settle(answer) follows the outcome table', () => {
  it.each<[string, Answer, object]>([
    ['a success counts', { status: 200 }, { cap: 8, successStreak: 2, epoch: 0 }],
    ['a 429 cuts', { status: 429 }, { cap: 6, successStreak: 0, epoch: 1 }],
    ['a 429 with a hint cools', { status: 429, headers: { 'retry-after': '2' } }, { cap: 6, cooldownUntil: 2_000 }],
    ['an overload cuts', { status: 503 }, { cap: 6, epoch: 1 }],
    [
      'a hint beyond ten minutes is a used-up quota',
      { status: 429, headers: { 'retry-after': '601' } },
      { cap: 8, epoch: 0, successStreak: 1 },
    ],
    ['a server error breaks the row', { status: 500 }, { cap: 8, epoch: 0, successStreak: 0 }],
    ['a network error breaks the row', { error: new TypeError('fetch failed') }, { cap: 8, successStreak: 0 }],
    ['a bad request is no verdict', { status: 400 }, { cap: 8, successStreak: 1 }],
    ['a bad key is no verdict', { status: 401 }, { cap: 8, successStreak: 1 }],
  ])('%s', (_, answer, state) => {
    const { ask, ticket, look } = stage({ initial: 8 });
    ask('a');
    ask('b');
    ticket('a').succeed();
    ticket('b').settle(answer);
    expect(look()).toMatchObject({ inFlight: 0, ...state });
  });

  it('reports an overload by its own reason', () => {
    const { ask, ticket, events } = stage();
    ask('a');
    expect(ticket('a').settle({ status: 529 })).toMatchObject({ class: 'overload', reducesCap: true });
    expect(events).toMatchObject([{ reason: 'provider_overloaded', previous: 8, next: 6 }]);
  });
});

describe('settling goes in order', () => {
  it('a listener sees the final state, and the next is let through after it', () => {
    const { governor, ask, ticket, log, look } = stage({ initial: 1, growthFactor: 4, increaseAfterSuccesses: 1 });
    ask('a');
    ask('b');
    ask('c');
    ask('d');
    governor.onEvent((event) => {
      const { cap, inFlight, queue } = look();
      log.push(`${event.type}: cap ${cap}, ${inFlight} in flight, ${queue} queued`);
    });
    ticket('a').succeed();
    expect(log).toEqual(['a', 'concurrency-changed: cap 2, 0 in flight, 3 queued', 'b', 'c']);
  });

  it('every run with a request in flight or queued hears of it, the settling one included; a closed one does not', () => {
    const { governor, ask, ticket, events } = stage({ initial: 4 });
    const runs = ['settling', 'in flight', 'queued', 'bystander', 'closed'].map((id) => governor.openRun(id));
    const [settling, inFlight, queued, bystander, closed] = runs;
    ask('b', { run: bystander! });
    ticket('b').end();
    ask('s', { run: settling! });
    ask('i', { run: inFlight! });
    ask('c', { run: closed! });
    ask('x');
    ask('q', { run: queued! });
    closed!.close();
    events.length = 0;
    ticket('s').throttle();
    expect(events).toMatchObject([{ previous: 4, next: 3, runs: ['settling', 'in flight', 'queued'] }]);
    // It has nothing on the key any more: the next change is not its own.
    ticket('i').throttle();
    ask('x2');
    ticket('x').end();
    ticket('q').throttle();
    expect(events.slice(1)).toMatchObject([{ previous: 3, next: 2, runs: ['queued'] }]);
  });

  it('runs are listed while anyone reads them, and for nobody else', () => {
    const governor = createGovernor({ clock: new ManualClock(), initial: 8 });
    const run = governor.openRun('r');
    const heard: (readonly string[])[] = [];
    governor.onEvent((event) => event.type === 'concurrency-changed' && heard.push(event.runs), { runs: false });
    const cut = () => governor.tryAcquire(KEY, { run })!.throttle();
    cut();
    const stopReading = governor.onEvent(() => {});
    cut();
    stopReading();
    stopReading();
    cut();
    expect(heard).toEqual([[], ['r'], []]);
    expect(() => governor.onEvent(() => {}, { runs: 'no' as never })).toThrow(
      'runs: expected true or false, got "no" (string)',
    );
  });

  it('a listener that throws hurts nobody, is reported, and the others hear all the same', () => {
    const { governor, ask, ticket, events, errors, read } = stage({ initial: 1 });
    governor.onEvent(() => {
      throw new Error('listener');
    });
    const heard: string[] = [];
    governor.onEvent(({ type }) => heard.push(type));
    ask('a');
    ask('b');
    ticket('a').throttle({ retryAfterMs: 1_000 });
    expect(errors).toEqual([new Error('listener')]);
    expect([heard, events.length]).toEqual([['concurrency-changed'], 1]);
    expect(read()).toEqual(['a']);
  });

  it('a listener taken away hears no more, and the same function added twice is two listeners', () => {
    const { governor, ask, ticket } = stage();
    let heard = 0;
    const listener = (): void => void heard++;
    const off = governor.onEvent(listener);
    governor.onEvent(listener);
    for (const name of ['a', 'b', 'c']) ask(name);
    ticket('a').throttle();
    expect(heard).toBe(2);
    off();
    off();
    ask('d');
    ticket('d').throttle();
    expect(heard).toBe(3);
  });
});

describe('a ticket says', () => {
  it('its key, its run, the epoch it was admitted in and how long it was queued', () => {
    const { governor, ask, ticket, clock } = stage({ initial: 1 });
    const run = governor.openRun('r');
    ask('a');
    ask('b', { run });
    clock.advance(250);
    ticket('a').throttle();
    expect(ticket('a')).toMatchObject({ key: KEY, run: undefined, epoch: 0, queuedMs: 0, settled: true });
    expect(ticket('b')).toMatchObject({ key: KEY, run: 'r', epoch: 1, queuedMs: 250, settled: false });
  });

  it('what is wrong with a refusal, and stays open', () => {
    const { ask, ticket } = stage();
    ask('a');
    expect(() => ticket('a').throttle({ reason: 'recovered' as never })).toThrow(
      new RangeError('reason: expected rate_limited, provider_overloaded, offpeak_queued, got "recovered" (string)'),
    );
    for (const retryAfterMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => ticket('a').throttle({ retryAfterMs })).toThrow(/^retryAfterMs: expected finite milliseconds ≥ 0/);
    }
    expect(ticket('a').settled).toBe(false);
  });

  it('to the controller what it measured: the time in flight, and how many were in flight with it', () => {
    const samples: unknown[] = [];
    const { ask, ticket, clock } = stage({ controller: (key) => new Sampled(key, samples) });
    ask('a');
    ask('b');
    clock.advance(120);
    ticket('b').succeed();
    clock.advance(30);
    ticket('a').succeed({ latencyMs: 99 });
    expect(samples).toEqual([
      { latencyMs: 120, inFlightAtAdmission: 2 },
      { latencyMs: 99, inFlightAtAdmission: 1 },
    ]);
  });
});

describe('the oldest in flight', () => {
  it('shows in the snapshot since when and of which run, until it is settled', () => {
    const { governor, ask, ticket, clock, look } = stage();
    const run = governor.openRun('r');
    clock.advance(5);
    ask('a', { run });
    clock.advance(5);
    ask('b');
    expect(look().oldestInFlight).toEqual({ since: 5, run: 'r' });
    ticket('a').end();
    expect(look().oldestInFlight).toEqual({ since: 10 });
    ticket('b').end();
    expect(look()).not.toHaveProperty('oldestInFlight');
  });
});
