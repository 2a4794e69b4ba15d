/** The options of the controllers to compare with: what is allowed, and what is refused by name. */

import { describe, expect, it } from 'vitest';
import {
  ArcController,
  Gradient2Controller,
  type LimitController,
  NetflixAimdController,
  TrueAimdController,
  VegasController,
} from '../src/controllers.js';

const key = 'p/m';

describe('the ends of the ranges are allowed', () => {
  it.each<[string, () => LimitController]>([
    ['smoothing 1', () => new Gradient2Controller({ key, smoothing: 1 })],
    [
      'queueSize 0, rttTolerance 1, longWindow 1',
      () => new Gradient2Controller({ key, queueSize: 0, rttTolerance: 1, longWindow: 1 }),
    ],
    ['probeMultiplier', () => new VegasController({ key, probeMultiplier: 1e-9 })],
    ['backoffRatio 0.5, timeoutMs', () => new NetflixAimdController({ key, backoffRatio: 0.5, timeoutMs: 1e-9 })],
    ['what lies between', () => new ArcController({ key, decreaseRatio: 0.5, ewmaAlpha: 0.5 })],
    ['rttDeviationScale 0', () => new ArcController({ key, rttDeviationScale: 0 })],
  ])('%s', (_, construct) => {
    expect(construct().snapshot().key).toBe(key);
  });
});

describe('bad options are refused by name', () => {
  it.each<[() => unknown, string]>([
    [() => new ArcController({ key: '' }), 'key: expected a non-empty string, got "" (string)'],
    [() => new ArcController({ key, initial: 0 }), 'initial: expected an integer ≥ 1, got 0 (number)'],
    [
      () => new TrueAimdController({ key, initial: 2, floor: 3 }),
      'initial: expected an integer ≥ floor (3), got 2 (number)',
    ],
    [() => new VegasController({ key, growthLimit: 1.5 }), 'growthLimit: expected an integer ≥ 1, got 1.5 (number)'],
    [() => new VegasController({ key, idleResetMs: 0 }), 'idleResetMs: expected milliseconds above 0, got 0 (number)'],
    [
      () => new VegasController({ key, probeMultiplier: 0 }),
      'probeMultiplier: expected a number above 0, got 0 (number)',
    ],
    [
      () => new Gradient2Controller({ key, smoothing: 0 }),
      'smoothing: expected a number above 0 and at most 1, got 0 (number)',
    ],
    [() => new Gradient2Controller({ key, queueSize: -1 }), 'queueSize: expected a number ≥ 0, got -1 (number)'],
    [
      () => new Gradient2Controller({ key, rttTolerance: 0.9 }),
      'rttTolerance: expected a number ≥ 1, got 0.9 (number)',
    ],
    [() => new Gradient2Controller({ key, longWindow: 0 }), 'longWindow: expected an integer ≥ 1, got 0 (number)'],
    [
      () => new NetflixAimdController({ key, backoffRatio: 1 }),
      'backoffRatio: expected a number from 0.5 up to, but not, 1, got 1 (number)',
    ],
    [
      () => new NetflixAimdController({ key, timeoutMs: 0 }),
      'timeoutMs: expected milliseconds above 0, got 0 (number)',
    ],
    [
      () => new TrueAimdController({ key, decreaseFactor: 1 }),
      'decreaseFactor: expected a number between 0 and 1, both excluded, got 1 (number)',
    ],
    [
      () => new NetflixAimdController({ key, backoffRatio: 0.49 }),
      'backoffRatio: expected a number from 0.5 up to, but not, 1, got 0.49 (number)',
    ],
    [
      () => new TrueAimdController({ key, decreaseFactor: 0 }),
      'decreaseFactor: expected a number between 0 and 1, both excluded, got 0 (number)',
    ],
    [
      () => new Gradient2Controller({ key, smoothing: 1.1 }),
      'smoothing: expected a number above 0 and at most 1, got 1.1 (number)',
    ],
    [() => new VegasController({ key, random: 1 as never }), 'random: expected a function, got 1 (number)'],
    [
      () => new ArcController({ key, decreaseRatio: 1 }),
      'decreaseRatio: expected a number between 0 and 1, both excluded, got 1 (number)',
    ],
    [() => new TrueAimdController({ key, increaseStep: 0 }), 'increaseStep: expected an integer ≥ 1, got 0 (number)'],
    [
      () => new ArcController({ key, decreaseRatio: 0 }),
      'decreaseRatio: expected a number between 0 and 1, both excluded, got 0 (number)',
    ],
    [
      () => new ArcController({ key, ewmaAlpha: 1 }),
      'ewmaAlpha: expected a number between 0 and 1, both excluded, got 1 (number)',
    ],
    [
      () => new ArcController({ key, rttDeviationScale: -1 }),
      'rttDeviationScale: expected a number ≥ 0, got -1 (number)',
    ],
  ])('%#: %s', (construct, message) => {
    expect(construct).toThrow(new RangeError(message));
  });
});
