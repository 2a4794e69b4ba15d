import { describe, expect, it } from 'vitest';
import { createGovernor, type Governor, type GovernorOptions } from '../../src/gate/governor.js';
import type { Run } from '../../src/gate/run.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { KEY, stage } from './stage.js';

const NOBODY = { admitted() {}, refused() {}, started() {} };

/** What a call throws, or what its promise rejects with. */
async function faultOf(call: () => unknown): Promise<unknown> {
  try {
    return { resolved: await call() };
  } catch (error) {
    return error;
  }
}

describe('options that are no object', () => {
  const wrong = null as never;
  const run = (governor: Governor): Run => governor.openRun('r');

  it.each<[string, string, (governor: Governor) => unknown]>([
    ['createGovernor(null)', 'options', () => createGovernor(wrong)],
    ['createGovernor({ retry: null })', 'retry', () => createGovernor({ retry: wrong })],
    ['acquire(KEY, null)', 'options', (governor) => governor.acquire(KEY, wrong)],
    ['enqueue(KEY, null, …)', 'options', (governor) => governor.enqueue(KEY, wrong, NOBODY)],
    ['request(…, null)', 'options', (governor) => governor.request(KEY, async () => 1, wrong)],
    ['request(…, { retry: null })', 'retry', (governor) => governor.request(KEY, async () => 1, { retry: wrong })],
    ['openRun(id, null)', 'options', (governor) => governor.openRun('s', wrong)],
    ['run.amend(null)', 'change', (governor) => run(governor).amend(wrong)],
    ['run.start(name, null)', 'options', (governor) => run(governor).start('a', wrong)],
    ['ask.acquire(KEY, null)', 'options', async (governor) => (await run(governor).start('a')).acquire(KEY, wrong)],
  ])('%s', async (_, name, call) => {
    const { governor } = stage();
    expect(await faultOf(() => call(governor))).toEqual(
      new RangeError(`${name}: expected an object, got null (object)`),
    );
    governor.tryAcquire(KEY)?.release();
    expect(governor.snapshot(KEY)).toMatchObject({ inFlight: 0, waiters: 0 });
  });
});

describe('a part that is not what it must be', () => {
  it.each<[string, GovernorOptions, string]>([
    ['random', { random: 3 as never }, 'random: expected a function to numbers ≥ 0 and below 1, got 3 (number)'],
    ['clock', { clock: 3 as never }, 'clock: expected an object with now() and schedule(), got 3 (number)'],
    [
      'clock.now()',
      { clock: { now: () => Number.NaN, schedule: () => () => {} } },
      'clock.now(): expected finite milliseconds, got NaN (number)',
    ],
  ])('%s is refused at the door', (_, options, message) => {
    expect(() => createGovernor(options)).toThrow(new RangeError(message));
  });

  it('a random number that is none ends the request, not the governor', async () => {
    const clock = new ManualClock();
    const governor = createGovernor({ clock, random: () => Number.NaN });
    const busy = Object.assign(new Error('busy'), { status: 429 });
    const error = await faultOf(() => governor.request(KEY, () => Promise.reject(busy)));
    expect(error).toEqual(new RangeError('random: expected a number ≥ 0 and below 1, got NaN (number)'));
    expect(governor.snapshot(KEY)?.inFlight).toBe(0);
  });

  it.each([0, {}, 'ask'])('an ask that is %j', async (ask) => {
    const { governor } = stage();
    expect(await faultOf(() => governor.request(KEY, async () => 1, { ask: ask as never }))).toMatchObject({
      message: expect.stringMatching(/^ask: expected an ask of a run, got /),
    });
  });

  it('a signal that is none', async () => {
    const { governor } = stage({ initial: 1 });
    const held = governor.tryAcquire(KEY)!;
    expect(await faultOf(() => governor.acquire(KEY, { signal: {} as never }))).toEqual(
      new RangeError('signal: expected an AbortSignal, got [object Object] (object)'),
    );
    held.release();
    expect(governor.snapshot(KEY)).toMatchObject({ inFlight: 0, waiters: 0 });
  });
});

describe('acquire on a key that was used just before', () => {
  it.each<[string, object, string]>([
    ['options that are none', null as never, 'options: expected an object, got null (object)'],
    ['tokens that are none', { tokens: -1 }, 'tokens: expected a number ≥ 0, got -1 (number)'],
    ['a run of nobody', { run: 3 }, 'run: expected a run that this governor opened, got 3 (number)'],
  ])('rejects %s, and never throws', async (_, options, message) => {
    const { governor } = stage();
    governor.tryAcquire(KEY)?.succeed();
    const answer = governor.acquire(KEY, options);
    await expect(answer).rejects.toEqual(new RangeError(message));
    expect(governor.snapshot(KEY)).toMatchObject({ inFlight: 0, waiters: 0 });
  });
});
