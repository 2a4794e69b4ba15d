import { describe, expect, it } from 'vitest';
import { type AttemptEnd, Attempts, nextRetry, type RetryPolicy, resolveRetryPolicy } from '../src/core/attempts.js';

interface Asked {
  readonly policy?: RetryPolicy;
  readonly retries?: number;
  readonly retriesOfClass?: number;
  readonly class?: Parameters<typeof nextRetry>[0]['class'];
  readonly retryAfterMs?: number | null;
  readonly random?: number | (() => number);
}

function next(asked: Asked) {
  return nextRetry({ policy: {}, retries: 0, class: 'throttle', retryAfterMs: null, random: 0, ...asked });
}

describe('what comes after an attempt', () => {
  it.each<[string, Asked, ReturnType<typeof nextRetry>]>([
    ['the first backoff is half of the first delay at least', {}, { delayMs: 1_000 }],
    ['and all of it at most', { random: 0.5 }, { delayMs: 1_500 }],
    ['it doubles with each retry', { retries: 3 }, { delayMs: 8_000 }],
    ['up to the longest', { retries: 5 }, { delayMs: 30_000 }],
    ['for ever', { retries: 100_000 }, { delayMs: 30_000 }],
    ['no first delay is none', { policy: { firstDelayMs: 0 }, retries: 2_000 }, { delayMs: 0 }],
    ['a hint is never undercut', { retryAfterMs: 5_000 }, { delayMs: 5_000 }],
    ['and spread upwards by a tenth', { retryAfterMs: 5_000, random: 0.5 }, { delayMs: 5_250 }],
    ['or by a second', { retryAfterMs: 20_000, random: 0.5 }, { delayMs: 20_500 }],
    ['a hint below a second does not replace the backoff', { retryAfterMs: 999 }, { delayMs: 1_000 }],
    ['nor does one of zero', { retryAfterMs: 0, random: 0.5 }, { delayMs: 1_500 }],
    ['one of a second does', { retryAfterMs: 1_000, retries: 4 }, { delayMs: 1_000 }],
    ['a random number may be drawn', { random: () => 0.25 }, { delayMs: 1_250 }],
    ['a hint at the horizon is waited for', { retryAfterMs: 300_000 }, { delayMs: 300_000 }],
    ['beyond it is a stop', { retryAfterMs: 300_001 }, { stop: 'beyond_horizon', resetAfterMs: 300_001 }],
    ['an overload has the budget of throttles', { class: 'overload', policy: { throttle: 0 } }, { stop: 'budget' }],
    ['a transient failure is sent again thrice', { class: 'transient', retries: 2 }, { delayMs: 4_000 }],
    ['and no more', { class: 'transient', retries: 3 }, { stop: 'budget' }],
    ['a budget counts its own class', { class: 'transient', retries: 9, retriesOfClass: 2 }, { delayMs: 30_000 }],
    [
      'a budget that is spent keeps the hint',
      { policy: { throttle: 1 }, retries: 1, retryAfterMs: 7 },
      { stop: 'budget', resetAfterMs: 7 },
    ],
    ['an answer is not retried', { class: 'ok' }, { stop: 'not_retryable' }],
    ['not even where the rest is', { class: 'ok', policy: { business: 5 } }, { stop: 'not_retryable' }],
    ['the rest is not', { class: 'auth', retryAfterMs: 9 }, { stop: 'not_retryable', resetAfterMs: 9 }],
    ['unless there is a budget', { class: 'auth', policy: { business: 1 } }, { delayMs: 1_000 }],
    ['and while it lasts', { class: 'auth', policy: { business: 1 }, retries: 1 }, { stop: 'budget' }],
    ['no budget of throttles is a budget spent', { policy: { throttle: 0 } }, { stop: 'budget' }],
  ])('%s', (_, asked, expected) => {
    expect(next(asked)).toStrictEqual(expected);
  });

  it.each([-0.1, 1, Number.NaN, 7])('a random number of %s is none', (random) => {
    expect(() => next({ random })).toThrow(
      new RangeError(`random: expected a number ≥ 0 and below 1, got ${random} (number)`),
    );
  });
});

describe('a policy', () => {
  it('has these defaults', () => {
    expect(resolveRetryPolicy()).toEqual({
      throttle: Number.POSITIVE_INFINITY,
      network: 3,
      business: 0,
      firstDelayMs: 2_000,
      maxDelayMs: 60_000,
      maxRetryAfterMs: 300_000,
    });
  });

  it('takes nothing at all, and no end', () => {
    const policy = { throttle: 0, network: Number.POSITIVE_INFINITY, business: 2, firstDelayMs: 0, maxDelayMs: 0 };
    expect(resolveRetryPolicy(policy)).toEqual({ ...policy, maxRetryAfterMs: 300_000 });
  });

  it.each<[object, string]>([
    [{ throttle: -1 }, 'retry.throttle: expected an integer ≥ 0 or Infinity, got -1 (number)'],
    [{ network: 0.5 }, 'retry.network: expected an integer ≥ 0 or Infinity, got 0.5 (number)'],
    [{ business: '1' }, 'retry.business: expected an integer ≥ 0 or Infinity, got "1" (string)'],
    [{ firstDelayMs: -1 }, 'retry.firstDelayMs: expected finite milliseconds ≥ 0, got -1 (number)'],
    [
      { maxDelayMs: Number.POSITIVE_INFINITY },
      'retry.maxDelayMs: expected finite milliseconds ≥ 0, got Infinity (number)',
    ],
  ])('%j is refused', (policy, message) => {
    expect(() => resolveRetryPolicy(policy)).toThrow(new RangeError(message));
  });
});

describe('the attempts of one request', () => {
  const ended = (attempts: Attempts, end: Partial<AttemptEnd>) =>
    attempts.ended({ class: 'throttle', retryAfterMs: null, ...end }, () => 0);

  it('count each class by its own budget, and all of them for the backoff', () => {
    const attempts = new Attempts(resolveRetryPolicy({ throttle: 1, network: 1 }));
    expect(attempts.number).toBe(1);
    expect(ended(attempts, {})).toStrictEqual({ delayMs: 1_000 });
    expect(ended(attempts, { class: 'transient' })).toStrictEqual({ delayMs: 2_000 });
    expect(attempts.number).toBe(3);
    expect(ended(attempts, { class: 'overload' })).toStrictEqual({ stop: 'budget' });
    expect(ended(attempts, { class: 'transient' })).toStrictEqual({ stop: 'budget' });
    expect(attempts.number).toBe(3);
  });

  it('an answer that is not to be sent again ends them, except where a budget of its own says so', () => {
    const attempts = new Attempts(resolveRetryPolicy({ business: 1 }));
    expect(ended(attempts, { retryable: false, retryAfterMs: 5 })).toStrictEqual({
      stop: 'not_retryable',
      resetAfterMs: 5,
    });
    expect(ended(attempts, { class: 'transient', retryable: false })).toStrictEqual({ stop: 'not_retryable' });
    expect(ended(attempts, { class: 'auth', retryable: false })).toStrictEqual({ delayMs: 1_000 });
    expect(ended(attempts, { class: 'auth', retryable: false })).toStrictEqual({ stop: 'budget' });
  });
});
