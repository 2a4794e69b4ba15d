import { describe, expect, it } from 'vitest';
import { announcedLimits } from '../../src/core/announced-limits.js';
import type { Answer } from '../../src/core/answer.js';
import { createGovernor, type GovernorOptions } from '../../src/gate/governor.js';
import { KEY, type Stage, stage } from './stage.js';

const MINUTE = 60_000;
const RPM = { name: 'requests', counts: 'requests', limit: 60, perMs: MINUTE } as const;
const TPM = { name: 'tokens', counts: 'tokens', limit: 6_000, perMs: MINUTE } as const;

function paced(options: GovernorOptions = {}): Stage {
  return stage({ initial: 50, pacing: 'headers', ...options });
}

/** When each of the next requests is let in, if each is answered at once. */
function admissions({ governor, clock }: Stage, count: number, forMs: number, tokens?: number): number[] {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    governor.enqueue(KEY, tokens === undefined ? {} : { tokens }, {
      admitted(ticket) {
        times.push(clock.now());
        ticket.succeed({ inputTokens: 80, outputTokens: 20 });
      },
      refused() {},
    });
  }
  clock.advance(forMs);
  return times;
}

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, n) => Math.round(time - times[n]!));
}

describe('what an answer announces', () => {
  it.each<[string, Record<string, string>, readonly object[]]>([
    [
      'as OpenAI writes it',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-limit-tokens': '6000',
      },
      [{ ...RPM, remaining: 59 }, TPM],
    ],
    [
      'as Anthropic writes it, where the limit of all tokens repeats one of those of a side',
      {
        'anthropic-ratelimit-requests-limit': '60',
        'anthropic-ratelimit-tokens-limit': '9000',
        'anthropic-ratelimit-input-tokens-limit': '9000',
        'anthropic-ratelimit-output-tokens-limit': '2000',
      },
      [
        RPM,
        { name: 'input_tokens', counts: 'input', limit: 9_000, perMs: MINUTE },
        { name: 'output_tokens', counts: 'output', limit: 2_000, perMs: MINUTE },
      ],
    ],
    [
      'as the draft of a standard writes it, with its own period',
      {
        ratelimit: '"burst";r=3;t=1, "places";r=2',
        'ratelimit-policy': '"burst";q=5;w=1, "places";q=9;qu="concurrent-requests"',
      },
      [{ name: 'burst', counts: 'requests', limit: 5, perMs: 1_000, remaining: 3 }],
    ],
    ['of a day: none, for nobody spreads a day over the day', { 'x-ratelimit-limit-requests-day': '1000' }, []],
    [
      'that is unlimited or no number: none',
      { 'x-ratelimit-limit-requests': '0', 'x-ratelimit-limit-tokens': 'many' },
      [],
    ],
  ])('%s', (_, headers, limits) => {
    expect(announcedLimits({ headers })).toEqual(limits);
  });

  it('is nothing, where the headers break at the mere look', () => {
    const headers = {
      get forEach() {
        throw new Error('no');
      },
    } as never;
    expect(announcedLimits({ headers })).toEqual([]);
  });
});

describe('what a refusal says of the limit', () => {
  it.each<[string, Answer, readonly object[]]>([
    [
      'in a sentence',
      {
        body: {
          error: { message: 'Rate limit reached on tokens per min (TPM): Limit 6,000, Used 5990, Requested 80.' },
        },
      },
      [TPM],
    ],
    [
      'as Gemini does, per minute',
      { body: { error: { details: [{ violations: [{ quotaId: 'RequestsPerMinute', quotaValue: '60' }] }] } } },
      [{ ...RPM }],
    ],
    ['per second', { body: 'limit of 5 requests per second' }, [{ ...RPM, limit: 5, perMs: 1_000 }]],
    ['per day: none', { body: 'limit: 5 requests per day' }, []],
    ['nothing: none', { body: 'Too many requests; see our rate limits' }, []],
    [
      'where headers announce the same: what they say',
      { headers: { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-limit-tokens': '6000' }, body: 'limit: 50' },
      [RPM, TPM],
    ],
  ])('%s', (_, answer, limits) => {
    expect(announcedLimits(answer, limits.length === 1 && limits[0] === TPM ? 'tokens' : 'requests')).toEqual(limits);
  });

  it('is read from the refusal that a ticket is settled with, and paced to', () => {
    const one = paced();
    one.ask('first');
    one.ticket('first').settle({ status: 429, body: { error: { message: 'limit: 60 requests per minute' } } });
    const times = admissions(one, 200, 2 * MINUTE);
    one.clock.advance(8 * MINUTE);
    expect(times.length).toBeGreaterThan(100);
    expect(gaps(admissions(one, 40, MINUTE / 2)).slice(6, 9)).toEqual([1020, 1020, 1020]);
  });
});

describe('pacing', () => {
  it('spaces admissions to a little less than the requests per minute that an answer announced', () => {
    const one = paced();
    one.ask('first');
    one.ticket('first').learn([RPM]);
    one.ticket('first').succeed();
    const times = admissions(one, 40, MINUTE / 2);
    // At most a twentieth of a minute may be caught up; then one in 60 000 / 58.8 ms.
    expect(gaps(times).slice(5, 10)).toEqual([1020, 1020, 1020, 1020, 1020]);
    expect(times.length).toBe(33);
  });

  it('reads it from the answer that a ticket is settled with', () => {
    const one = paced();
    one.ask('first');
    one.ticket('first').settle({ status: 200, headers: { 'x-ratelimit-limit-requests': '6' } });
    expect(gaps(admissions(one, 10, MINUTE / 2)).slice(1, 3)).toEqual([10_204, 10_204]);
  });

  it('spaces them to the tokens that callers state, by what requests turned out to cost of that', () => {
    const one = paced();
    one.ask('first');
    one.ticket('first').learn([TPM]);
    one.ticket('first').succeed({ inputTokens: 80, outputTokens: 20 });
    // 100 of the 200 stated were used each time: 58.8 requests a minute, not 29.4.
    admissions(one, 80, MINUTE, 200);
    one.clock.advance(MINUTE);
    expect(gaps(admissions(one, 40, MINUTE / 2, 200)).slice(6, 9)).toEqual([1020, 1020, 1020]);
  });

  it('counts an output when its request is let in and again when it is answered, for providers do either', () => {
    const { governor, ask, ticket, clock } = paced();
    ask('first');
    ticket('first').learn([TPM]);
    ticket('first').succeed();
    const long = governor.tryAcquire(KEY, { tokens: { prompt: 100, output: 4_900 } });
    clock.advance(59_000);
    long?.succeed({ inputTokens: 100, outputTokens: 4_900 });
    clock.advance(2_000);
    // Let in a minute ago: whoever counted 5000 then has forgotten them; whoever counted 4900 two seconds ago has not.
    const next = { tokens: { prompt: 1_200, output: 0 } };
    expect(governor.tryAcquire(KEY, next)).toBeUndefined();
    clock.advance(57_900);
    expect(governor.tryAcquire(KEY, next)).toBeUndefined();
    clock.advance(500);
    expect(governor.tryAcquire(KEY, next)).toBeDefined();
  });

  it('never lets more in, in any minute, than the limit is', () => {
    const one = paced();
    one.ask('first');
    one.ticket('first').learn([{ ...RPM, limit: 10 }]);
    one.ticket('first').succeed();
    one.clock.advance(7 * MINUTE);
    const times = admissions(one, 100, 3 * MINUTE);
    for (const start of times)
      expect(times.filter((t) => t >= start && t < start + MINUTE).length).toBeLessThanOrEqual(10);
    expect(times.length).toBe(30);
  });

  it('gives nothing at once to whoever will not wait', () => {
    const { governor, ask, ticket, clock } = paced();
    ask('first');
    ticket('first').learn([{ ...RPM, limit: 6 }]);
    ticket('first').succeed();
    expect(governor.tryAcquire(KEY)).toBeDefined();
    expect(governor.tryAcquire(KEY)).toBeUndefined();
    clock.advance(10_500);
    expect(governor.tryAcquire(KEY)).toBeDefined();
  });

  it('is no evidence for a higher cap while it alone holds the queue back', () => {
    const one = paced({ initial: 2, growthLimit: 20 });
    one.ask('first');
    one.ticket('first').learn([RPM]);
    one.ticket('first').succeed();
    admissions(one, 40, MINUTE / 2);
    expect(one.look().cap).toBe(2);
  });

  it('answers a refusal for a rate by going slower, and leaves the cap alone', () => {
    const one = paced();
    one.ask('first');
    one.ticket('first').learn([RPM]);
    one.ticket('first').throttle({ scope: 'requests' });
    expect(one.look()).toMatchObject({ cap: 50, epoch: 0, inFlight: 0 });
    // 0.85 of the rate, and a tenth more each minute.
    expect(gaps(admissions(one, 40, 9_000)).slice(4, 6)).toEqual([1196, 1193]);
  });

  it('leaves a refusal for places to the cap', () => {
    const { ask, ticket, look } = paced();
    ask('first');
    ticket('first').learn([RPM]);
    ticket('first').throttle({ scope: 'concurrency' });
    expect(look()).toMatchObject({ cap: 37, epoch: 1 });
  });

  it('takes a refusal that does not say for one of rate when nothing is left of what is announced', () => {
    const { ask, ticket, look } = paced();
    ask('first');
    ticket('first').learn([{ ...RPM, remaining: 0 }]);
    ticket('first').throttle();
    expect(look().cap).toBe(50);
  });

  it('learns a rate that nobody announces from a refusal that names one', () => {
    const one = paced();
    for (let n = 0; n < 30; n++) one.ask(`${n}`);
    for (let n = 0; n < 29; n++) one.ticket(`${n}`).succeed();
    one.ticket('29').throttle({ scope: 'requests' });
    expect(one.look().cap).toBe(50);
    const times = admissions(one, 100, MINUTE);
    expect(times.length).toBeGreaterThan(24);
    expect(times.length).toBeLessThan(36);
  });

  it('sees by their shape that unnamed refusals are of a rate: as many let in, with half as many in flight', () => {
    const { governor, clock, look } = paced({ increaseAfterSuccesses: 1000 });
    /** `level` at once, all answered; as many in a minute whatever the level, and then one is refused. */
    const minute = (level: number): void => {
      for (let n = 0; n < 40 / level; n++) {
        const tickets = Array.from({ length: level }, () => governor.tryAcquire(KEY));
        clock.advance(MINUTE / (40 / level) - 1);
        for (const ticket of tickets) ticket?.succeed();
        clock.advance(1);
      }
      governor.tryAcquire(KEY)?.throttle();
    };
    minute(20);
    expect(look().cap).toBe(37);
    clock.advance(1);
    minute(20);
    expect(look().cap).toBe(37);
  });

  it('lets the cap jump to what an announced rate feeds, where nothing has been refused', () => {
    const { governor, ask, ticket, clock, look } = paced({ initial: 2, growthLimit: 500 });
    ask('first');
    ask('second');
    for (let n = 0; n < 5; n++) governor.enqueue(KEY, {}, { admitted() {}, refused() {} });
    clock.advance(30_000);
    ticket('first').succeed();
    ticket('second').learn([{ ...RPM, limit: 600 }]);
    ticket('second').succeed();
    // Ten a second for thirty seconds each, and a quarter more.
    expect(look().cap).toBe(375);
  });

  it('refuses a cost that is none', () => {
    const { governor } = paced();
    expect(() => governor.tryAcquire(KEY, { tokens: -1 })).toThrow(
      new RangeError('tokens: expected a number ≥ 0, got -1 (number)'),
    );
    expect(() => governor.tryAcquire(KEY, { tokens: { prompt: 1 } as never })).toThrow(
      new RangeError('tokens.output: expected a number ≥ 0, got undefined (undefined)'),
    );
    expect(() => createGovernor({ pacing: 'on' as never })).toThrow(
      new RangeError("pacing: expected 'off' or 'headers', got \"on\" (string)"),
    );
  });

  it('is off by default: nothing is spaced, whatever is announced', () => {
    const one = stage({ initial: 50 });
    one.ask('first');
    one.ticket('first').learn([RPM]);
    one.ticket('first').succeed();
    expect(admissions(one, 40, 0).length).toBe(40);
  });
});
