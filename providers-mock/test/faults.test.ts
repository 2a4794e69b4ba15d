/** Faults: each comes as often as it says, at its times and by its name, and has one effect. */

import { describe, expect, it } from 'vitest';
import {
  FAULT_EFFECTS,
  type FaultKind,
  type FaultSpec,
  faultEndsAfterMs,
  pickFault,
  usedUnderFault,
} from '../src/models/faults.js';

function fault(kind: FaultKind, rate: number, fromMs: number | null = null, toMs: number | null = null): FaultSpec {
  return { kind, rate, fromMs, toMs };
}

describe('which fault befalls a request', () => {
  const three = [fault('reset', 0.1), fault('status-503', 0.2), fault('hang', 0.05)];

  it.each([
    [0, 'reset'],
    [0.0999, 'reset'],
    [0.1, 'status-503'],
    [0.2999, 'status-503'],
    [0.3001, 'hang'],
    [0.3499, 'hang'],
    [0.3501, null],
    [0.9999, null],
  ])('is told by one random number: %f → %s', (random, kind) => {
    expect(pickFault(three, 0, random)).toBe(kind);
  });

  it('comes exactly as often as each says, together and apart', () => {
    const count = (specs: readonly FaultSpec[], kind: FaultKind | null): number =>
      Array.from({ length: 1000 }, (_, n) => pickFault(specs, 0, (n + 0.5) / 1000)).filter((got) => got === kind)
        .length;
    expect([...three.map(({ kind }) => kind), null].map((kind) => count(three, kind))).toEqual([100, 200, 50, 650]);
    expect(count([fault('status-503', 0.2)], 'status-503')).toBe(200);
  });

  it('comes from its time on until just before its end, at its rate or always', () => {
    const outage = [fault('status-500', 1, 1000, 2000), fault('slow', 0.5, 1500)];
    const at = (ms: number, random: number): FaultKind | null => pickFault(outage, ms, random);
    expect([999.999, 1000, 1999.999, 2000].map((ms) => at(ms, 0.4))).toEqual([
      null,
      'status-500',
      'status-500',
      'slow',
    ]);
    expect(at(2000, 0.6)).toBe(null);
  });

  it('is the earlier one where together they would be more than all', () => {
    const all = [fault('reset', 0.7), fault('hang', 0.7)];
    expect([0.69, 0.71, 0.99].map((random) => pickFault(all, 0, random))).toEqual(['reset', 'hang', 'hang']);
  });

  it('is none at a rate of 0', () => {
    expect(pickFault([fault('reset', 0)], 0, 0)).toBe(null);
  });
});

describe('what a fault does', () => {
  const times = { refusalMs: 50, firstTokenMs: 400, totalMs: 2000 };
  const whole = { inputTokens: 100, outputTokens: 31 };

  it.each<[FaultKind, string, number | null, number, number]>([
    // fault, class, ends after ms, input and output tokens that were used
    ['status-500', 'transient', 50, 0, 0],
    ['status-502', 'transient', 50, 0, 0],
    ['status-503', 'overload', 50, 0, 0],
    ['status-529', 'overload', 50, 0, 0],
    ['html-page', 'transient', 50, 0, 0],
    ['empty-body', 'transient', 2000, 100, 31],
    ['truncated-json', 'transient', 2000, 100, 31],
    ['reset', 'transient', 50, 0, 0],
    ['hang', 'transient', null, 0, 0],
    ['slow', 'ok', 20_000, 100, 31],
    ['cut-stream', 'transient', 1200, 100, 16],
    ['error-event', 'overload', 1200, 100, 16],
    ['error-in-200', 'transient', 50, 0, 0],
    ['no-headers', 'ok', 2000, 100, 31],
  ])('%s: %s', (kind, concluded, endsMs, inputTokens, outputTokens) => {
    const effect = FAULT_EFFECTS[kind];
    expect(effect.class).toBe(concluded);
    expect(faultEndsAfterMs(effect, times)).toBe(endsMs);
    expect(usedUnderFault(effect, whole)).toEqual({ inputTokens, outputTokens });
  });

  it('is said for every fault there is', () => {
    expect(Object.keys(FAULT_EFFECTS)).toHaveLength(14);
  });
});
