import { describe, expect, it } from 'vitest';
import { checkedController } from '../src/core/checked-controller.js';
import { FixedController } from '../src/core/fixed.js';
import { booleanOption, choiceOption, refuseOption, resolveAimdOptions } from '../src/core/options.js';
import { ProbeBackoff } from '../src/core/probe-backoff.js';

describe('what a refused option is shown as', () => {
  it('a text is quoted, and cut after sixty characters', () => {
    expect(() => refuseOption('name', `"${'x'.repeat(80)}`, 'less')).toThrow(
      new RangeError(`name: expected less, got "\\"${'x'.repeat(59)}" (string)`),
    );
  });

  it('what has no text of its own is shown by its kind', () => {
    expect(() => refuseOption('name', Object.create(null), 'a text')).toThrow(
      new RangeError('name: expected a text, got [object Object] (object)'),
    );
  });
});

describe('the options of the reference', () => {
  it('are these where nothing is said', () => {
    expect(resolveAimdOptions({ key: 'p/m' })).toEqual({
      key: 'p/m',
      initial: 8,
      growthLimit: 8,
      decreaseFactor: 0.75,
      increaseStep: 1,
      increaseAfterSuccesses: 4,
      floor: 1,
      idleResetMs: 300_000,
      rememberGood: true,
      probeBackoffMax: 1,
      recovery: 'additive',
      growth: 'streak',
      latencySignal: false,
    });
  });

  it.each<[string, object, string]>([
    ['a key of another kind', { key: 3 }, 'key: expected a non-empty string, got 3 (number)'],
    ['an empty key', { key: '' }, 'key: expected a non-empty string, got "" (string)'],
    ['a factor as text', { decreaseFactor: '0.5' }, 'got "0.5" (string)'],
    ['a factor of 0', { decreaseFactor: 0 }, 'decreaseFactor: expected a number between 0 and 1, both excluded, got 0'],
    ['a factor of 1', { decreaseFactor: 1 }, 'decreaseFactor: expected a number between 0 and 1, both excluded, got 1'],
    ['no idle time', { idleResetMs: 0 }, 'idleResetMs: expected milliseconds above 0, got 0 (number)'],
    ['a negative idle time', { idleResetMs: -1 }, 'idleResetMs: expected milliseconds above 0, got -1 (number)'],
    ['an endless idle time', { idleResetMs: Number.POSITIVE_INFINITY }, 'got Infinity (number)'],
    ['half a step', { increaseStep: 0.5 }, 'increaseStep: expected an integer ≥ 1, got 0.5 (number)'],
    ['a word for a truth', { rememberGood: 'yes' }, 'rememberGood: expected true or false, got "yes" (string)'],
    ['a growth of none', { growth: 'fast' }, "growth: expected 'streak' or 'window', got \"fast\" (string)"],
  ])('%s is refused', (_, options, message) => {
    expect(() => resolveAimdOptions({ key: 'p/m', ...options })).toThrow(RangeError);
    expect(() => resolveAimdOptions({ key: 'p/m', ...options })).toThrow(message);
  });

  it('take the least that is allowed', () => {
    expect(resolveAimdOptions({ key: 'p/m', initial: 1, floor: 1, idleResetMs: 0.001 })).toMatchObject({
      initial: 1,
      growthLimit: 1,
      idleResetMs: 0.001,
    });
  });
});

it('a truth and a choice are as stated, or the default', () => {
  expect([booleanOption('b', false, true), booleanOption('b', undefined, true)]).toEqual([false, true]);
  expect([choiceOption('c', 'z', ['x', 'y', 'z']), choiceOption('c', undefined, ['x', 'y'])]).toEqual(['z', 'x']);
  expect(() => choiceOption('c', 'w', ['x', 'y', 'z'])).toThrow("c: expected 'x', 'y' or 'z', got \"w\" (string)");
});

describe('a controller of somebody else', () => {
  const withCap = (cap: unknown): unknown =>
    Object.assign(new FixedController({ key: 'p/m', cap: 1 }), { snapshot: () => ({ cap }) });

  it.each([0, 0.5, -3, Number.NaN, '8', undefined])('with a cap of %s is refused', (cap) => {
    expect(() => checkedController(withCap(cap), 'p/m')).toThrow(
      new TypeError(
        `controller: expected a ConcurrencyController for "p/m" whose snapshot() has a cap ≥ 1, got ${String(cap)}`,
      ),
    );
  });

  it('without a snapshot of its own is refused in the same words', () => {
    const made = Object.assign(new FixedController({ key: 'p/m', cap: 1 }), { snapshot: () => undefined });
    expect(() => checkedController(made, 'p/m')).toThrow(/whose snapshot\(\) has a cap ≥ 1, got undefined$/);
  });

  it('with a cap of one is taken as it is', () => {
    const made = withCap(1);
    expect(checkedController(made, 'p/m')).toBe(made);
  });
});

describe('probe backoff', () => {
  it('doubles at the same wall up to its factor, begins with two at another, and with one anew', () => {
    const backoff = new ProbeBackoff(8);
    const factors = [9, 9, 9, 9, 7, 7].map((level, i, levels) => {
      backoff.failed(level, levels[i - 1] ?? 0);
      return backoff.factor;
    });
    expect(factors).toEqual([2, 4, 8, 8, 2, 4]);
    backoff.reset();
    expect(backoff.factor).toBe(1);
  });
});
