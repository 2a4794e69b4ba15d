import { describe, expect, it } from 'vitest';
import type { RetryPolicy } from '../../src/core/attempts.js';
import type { GovernorOptions } from '../../src/gate/governor.js';
import type { RequestOptions } from '../../src/gate/request.js';
import { RetryHorizonError } from '../../src/gate/request.js';
import type { Ticket } from '../../src/gate/ticket.js';
import { KEY, pass, type Stage, stage, turn } from './stage.js';

/** What an SDK throws. */
function refusal(status: number, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error(`HTTP ${status}`), { status, headers });
}

const BUSY = refusal(429, { 'retry-after': '3' });

interface Sending extends Stage {
  /** When each attempt was sent. */
  readonly sent: number[];
  /** Sends `outcomes` one after the other: an Error is thrown, anything else returned; the last is repeated. */
  request(outcomes: readonly unknown[], options?: RequestOptions): Promise<unknown>;
}

function sending(options: GovernorOptions = {}, random = 0.5): Sending {
  const set = stage({ random: () => random, ...options });
  const sent: number[] = [];
  return {
    ...set,
    sent,
    request(outcomes, requestOptions) {
      let attempt = 0;
      const send = async (): Promise<unknown> => {
        sent.push(set.clock.now());
        const outcome = outcomes[Math.min(attempt++, outcomes.length - 1)];
        if (outcome instanceof Error) throw outcome;
        return outcome;
      };
      return set.governor.request(KEY, send, requestOptions);
    },
  };
}

describe('a request', () => {
  it('acquires, sends, settles and gives back what was sent for', async () => {
    const { request, look, sent } = sending();
    await expect(request(['the answer'])).resolves.toBe('the answer');
    expect([sent, look().inFlight, look().successStreak]).toEqual([[0], 0, 1]);
  });

  it('holds no ticket while it sleeps', async () => {
    const { request, look, clock, governor } = sending({ initial: 1 });
    const done = request([refusal(500), 'fine']);
    await turn();
    expect([look().inFlight, clock.pending]).toEqual([0, 1]);
    expect(governor.tryAcquire(KEY)).toBeDefined();
    governor.close();
    await expect(done).rejects.toThrow();
  });

  it('waits at least as long as it was told, and up to a tenth longer', async () => {
    const { request, clock, sent } = sending();
    const done = request([BUSY, 'fine']);
    await pass(clock, 10_000);
    await expect(done).resolves.toBe('fine');
    expect(sent).toEqual([0, 3_150]);
  });

  it('backs off twice as long each time, up to a minute, where it was told nothing', async () => {
    const { request, clock, sent } = sending();
    const done = request([...Array.from({ length: 8 }, () => refusal(429)), 'fine']);
    await pass(clock, 400_000);
    await expect(done).resolves.toBe('fine');
    const waits = sent.slice(1).map((at, i) => at - (sent[i] as number));
    expect(waits).toEqual([1_500, 3_000, 6_000, 12_000, 24_000, 45_000, 45_000, 45_000]);
  });

  it('takes a Retry-After of 0 for no reason to hurry: ten of them take as long as ten backoffs', async () => {
    const { request, clock, sent } = sending({}, 0);
    const zero = refusal(429, { 'retry-after': '0' });
    const done = request([...Array.from({ length: 10 }, () => zero), 'fine']);
    await pass(clock, 1_000_000);
    await expect(done).resolves.toBe('fine');
    expect(sent.at(-1)).toBe(1_000 + 2_000 + 4_000 + 8_000 + 16_000 + 5 * 30_000);
  });

  it('takes its new ticket at the tail of the queue when it wakes', async () => {
    const { request, clock, governor, sent } = sending({ initial: 1 });
    const done = request([refusal(500), 'fine']);
    await turn();
    const holder = governor.tryAcquire(KEY)!;
    let other: Ticket | undefined;
    governor.acquire(KEY).then((ticket) => (other = ticket));
    await pass(clock, 2_000);
    holder.end();
    await turn();
    expect(sent).toEqual([0]);
    clock.advance(100);
    other?.end();
    await expect(done).resolves.toBe('fine');
    expect(sent).toEqual([0, 2_100]);
  });
});

describe('the end of the retries', () => {
  it.each<[string, unknown, number, RetryPolicy | undefined]>([
    ['three retries for a fault of the network', refusal(500), 4, undefined],
    ['three for an error without a status', new TypeError('fetch failed'), 4, undefined],
    ['none for a bad request', refusal(400), 1, undefined],
    ['none for a bad key', refusal(401), 1, undefined],
    ['as many as the policy says for a refusal', refusal(429), 3, { throttle: 2 }],
    ['as many as the policy says for the rest', refusal(400), 2, { business: 1 }],
    ['none where the policy says none', refusal(500), 1, { network: 0 }],
  ])('%s; then the error itself', async (_, error, attempts, retry) => {
    const { request, clock, sent, look } = sending();
    const done = expect(request([error], retry === undefined ? {} : { retry })).rejects.toBe(error);
    await pass(clock, 1_000_000);
    await done;
    expect([sent.length, look().inFlight]).toEqual([attempts, 0]);
  });

  it('counts each kind by itself: a refusal does not use up what a fault of the network may', async () => {
    const { request, clock, sent } = sending();
    const outcomes = [refusal(429), refusal(500), refusal(429), refusal(500), refusal(429), refusal(500), refusal(500)];
    const done = expect(request(outcomes)).rejects.toBe(outcomes[6]);
    await pass(clock, 1_000_000);
    await done;
    expect(sent).toHaveLength(7);
  });

  it.each([
    ['301', 301_000],
    ['86400', 86_400_000],
  ])(
    'a wait of %s s is no sleep but an error at once that says when the provider will answer again',
    async (seconds, ms) => {
      const { request, clock, sent } = sending();
      const cause = refusal(429, { 'retry-after': seconds });
      const error = await request([cause]).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RetryHorizonError);
      expect(error).toMatchObject({ name: 'RetryHorizonError', resetAfterMs: ms, cause });
      expect([sent, clock.pending]).toEqual([[0], 0]);
    },
  );

  it('a wait of 300 s is slept through; the policy of the call moves that edge', async () => {
    const { request, clock, sent } = sending({ maxCooldownMs: 1_000 });
    const hint = refusal(429, { 'retry-after': '300' });
    const done = request([hint, 'fine']);
    await pass(clock, 301_000);
    await expect(done).resolves.toBe('fine');
    expect(sent).toEqual([0, 300_500]);
    await expect(request([hint], { retry: { maxRetryAfterMs: 299_999 } })).rejects.toThrow(RetryHorizonError);
  });

  it('a Response that refuses is given back when nothing is left to try', async () => {
    const { request, clock, sent } = sending();
    const response = new Response('bad', { status: 400 });
    await expect(request([response])).resolves.toBe(response);
    const server = () => new Response('down', { status: 500 });
    const last = server();
    const done = request([server(), server(), server(), last]);
    await pass(clock, 100_000);
    await expect(done).resolves.toBe(last);
    expect(sent).toHaveLength(5);
    await expect(last.text()).resolves.toBe('down');
  });

  it('a Response that is tried again lets its connection go before the sleep', async () => {
    const { request, clock } = sending();
    const response = new Response('x'.repeat(64_000), { status: 429 });
    const done = request([response, 'fine']);
    await turn();
    expect([response.bodyUsed, clock.pending]).toEqual([true, 1]);
    await pass(clock, 10_000);
    await expect(done).resolves.toBe('fine');
  });
});

describe('aborting a request', () => {
  it('ends the sleep at once with the reason of the signal, and nothing is sent again', async () => {
    const { request, clock, sent } = sending();
    const controller = new AbortController();
    const done = expect(request([BUSY], { signal: controller.signal })).rejects.toBe('enough');
    await pass(clock, 100);
    controller.abort('enough');
    await done;
    expect([clock.now(), clock.pending]).toEqual([100, 0]);
    await pass(clock, 10_000);
    expect(sent).toEqual([0]);
  });

  it('ends the wait in the queue, and before it anything is sent at all', async () => {
    const { request, sent, governor, look } = sending({ initial: 1 });
    governor.tryAcquire(KEY);
    const controller = new AbortController();
    const done = expect(request(['never'], { signal: controller.signal })).rejects.toBe('enough');
    await turn();
    expect(look().queue).toBe(1);
    controller.abort('enough');
    await done;
    await expect(request(['never'], { signal: controller.signal })).rejects.toBe('enough');
    expect([sent, look().queue]).toEqual([[], 0]);
  });

  it('while it is sent settles without a verdict and throws what the sending threw', async () => {
    const { governor, look } = sending();
    const controller = new AbortController();
    const thrown = new DOMException('stopped', 'AbortError');
    const done = governor.request(
      KEY,
      () =>
        new Promise((_, reject) => {
          controller.signal.addEventListener('abort', () => reject(thrown));
        }),
      { signal: controller.signal },
    );
    await turn();
    controller.abort();
    await expect(done).rejects.toBe(thrown);
    expect(look()).toMatchObject({ inFlight: 0, cap: 8, epoch: 0 });
  });

  it('one running and ten queued, all aborted: one more task runs at once', async () => {
    const { request, governor, sent } = sending({ initial: 1 });
    const controller = new AbortController();
    const { signal } = controller;
    const running = governor.request(
      KEY,
      () => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { signal },
    );
    const all = [running, ...Array.from({ length: 10 }, () => request(['never'], { signal }))];
    await turn();
    controller.abort('all');
    expect(await Promise.allSettled(all)).toEqual(all.map(() => ({ status: 'rejected', reason: 'all' })));
    await expect(request(['fine'])).resolves.toBe('fine');
    expect(sent).toEqual([0]);
  });
});

describe('thirty that get the same Retry-After of ten minutes', () => {
  it('come back one by one, none before the time and no two in the same tenth of a second', async () => {
    let draw = 0;
    const set = stage({
      initial: 30,
      resumeStaggerMs: 100,
      retry: { maxRetryAfterMs: 600_000 },
      random: () => (draw++ * 0.618) % 1,
    });
    const { governor, clock } = set;
    const sentAgain: number[] = [];
    const one = async (): Promise<void> => {
      let isFirst = true;
      await governor.request(KEY, async () => {
        if (isFirst) {
          isFirst = false;
          throw refusal(429, { 'retry-after': '600' });
        }
        sentAgain.push(clock.now());
        await new Promise<void>((resolve) => clock.schedule(resolve, 5_000));
      });
    };
    const all = Promise.all(Array.from({ length: 30 }, one));
    await pass(clock, 700_000);
    await all;
    expect(sentAgain).toHaveLength(30);
    expect(sentAgain[0]).toBeGreaterThanOrEqual(600_000);
    const gaps = sentAgain.slice(1).map((at, i) => at - (sentAgain[i] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100);
  });
});

describe('a sender that settles its own ticket', () => {
  it('has the last word on it; the answer still decides about a retry', async () => {
    const { governor, clock, look, events } = sending();
    let attempts = 0;
    const done = governor.request(KEY, async (ticket) => {
      attempts++;
      if (attempts === 2) return 'fine';
      ticket.end();
      throw refusal(429);
    });
    await pass(clock, 10_000);
    await expect(done).resolves.toBe('fine');
    expect([attempts, look().epoch, events]).toEqual([2, 0, []]);
  });
});

describe('a request of a subagent', () => {
  it('waits as such: for a slot, for its retry', async () => {
    const { request, governor, clock, events } = sending({ initial: 1 });
    const run = governor.openRun('r');
    const ask = await run.start('planner');
    const holder = governor.tryAcquire(KEY)!;
    const done = request([refusal(500), 'fine'], { ask });
    await turn();
    holder.end();
    await pass(clock, 2_000);
    await expect(done).resolves.toBe('fine');
    expect(
      events.map((e) => ('node' in e ? `${e.at} ${e.node} ${e.type} ${'reason' in e ? e.reason : ''}` : '')),
    ).toEqual([
      '0 planner node-waiting slot',
      '0 planner node-executing ',
      '0 planner node-waiting backoff',
      '1500 planner node-executing ',
    ]);
  });
});

describe('a refusal with an endless body', () => {
  it('is judged by its beginning', async () => {
    const { governor, clock } = stage({ retry: { throttle: 0 } });
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(1_000))),
    });
    const answer = await governor.request(KEY, async () => new Response(endless, { status: 429 }));
    expect([answer.status, clock.pending]).toEqual([429, 0]);
  });

  it('or by its status, when nothing of it comes within a second', async () => {
    const { governor, clock, look } = stage({ retry: { throttle: 0 } });
    const silent = new ReadableStream({ pull: () => new Promise(() => {}) });
    const asked = governor.request(KEY, async () => new Response(silent, { status: 429 }));
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    expect((await asked).status).toBe(429);
    expect(look()).toMatchObject({ cap: 6, inFlight: 0 });
  });
});

describe('a run of another governor', () => {
  it('is refused by name', () => {
    const { governor } = stage();
    const stranger = stage().governor.openRun('other');
    expect(() => governor.tryAcquire(KEY, { run: stranger })).toThrow(/^run: expected a run that this governor opened/);
  });
});
