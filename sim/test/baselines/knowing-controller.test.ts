/** A controller that is told what it may do keeps the rules that the gate relies on. */

import { controllerProperties } from '@tidegate/governor/testing';
import { describe, expect, it } from 'vitest';
import { KnowingController, type Knowledge } from '../../src/baselines/knowing-controller.js';

const file = 'sim/test/baselines/knowing-controller.test.ts';

const of = (placesAt: Knowledge['placesAt'], waitMs: Knowledge['waitMs'] = () => 0): Knowledge => ({
  placesAt,
  waitMs,
  nextChangeMs: () => Number.POSITIVE_INFINITY,
});

describe('the rules that every controller keeps', () => {
  const subjects: readonly [string, Knowledge][] = [
    ['five places', of(() => 5)],
    ['time alone', of(() => Number.POSITIVE_INFINITY)],
  ];
  const rules = subjects.flatMap(
    ([subject, knowledge]) =>
      controllerProperties(({ key, initial = 8 }) => new KnowingController(key, initial, knowledge), {
        subject,
        file,
        runs: 30,
      }).anyController,
  );
  for (const { name, check } of rules) it(name, check);
});

describe('its cap', () => {
  it('follows the places, and is 1 where there are none', () => {
    const places = [12, 3, 0];
    const controller = new KnowingController(
      'p/m',
      8,
      of((now) => places[now] as number),
    );
    expect([0, 1, 2].flatMap((now) => controller.observed(now))).toEqual([
      { key: 'p/m', previous: 8, next: 12, reason: 'seeded' },
      { key: 'p/m', previous: 12, next: 3, reason: 'limit_lowered' },
      { key: 'p/m', previous: 3, next: 1, reason: 'limit_lowered' },
    ]);
  });

  it('shows the most at once where only time limits', () => {
    const controller = new KnowingController(
      'p/m',
      1,
      of(() => Number.POSITIVE_INFINITY),
    );
    const caps = [0, 1, 2].map(() => {
      controller.observed(0);
      controller.admitted(0);
      return controller.snapshot().cap;
    });
    expect(caps).toEqual([1, 2, 3]);
  });
});

describe('when it wants to be asked again', () => {
  it.each<[string, Partial<Knowledge>, number, number]>([
    ['when the wait is over', { waitMs: () => 250 }, 0, 1_250],
    ['when the places change, if that is sooner', { waitMs: () => 250, nextChangeMs: () => 1_100 }, 0, 1_100.001],
    ['not by time, while all places are taken', { waitMs: () => 250 }, 2, Number.NEGATIVE_INFINITY],
    ['at a change, while all places are taken', { nextChangeMs: () => 1_100 }, 2, 1_100.001],
    ['not by time, where only an end helps', { waitMs: () => Number.POSITIVE_INFINITY }, 0, Number.NEGATIVE_INFINITY],
  ])('%s', (_, knowledge, inFlight, at) => {
    const controller = new KnowingController('p/m', 2, { ...of(() => 2), ...knowledge });
    for (let i = 0; i < inFlight; i++) controller.admitted(1_000);
    expect(controller.notBefore(1_000)).toBe(at);
  });
});
