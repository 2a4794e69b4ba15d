/**
 * Load and service time, with the numbers written out.
 */

import { describe, expect, it } from 'vitest';
import { loadFactor, promptMs, serviceMs, underLoad } from '../src/models/latency.js';

describe('load', () => {
  it.each([
    // in flight, slope, knee start, knee base, factor
    [1, 0.5, null, 9, 1], // alone: no load
    [5, 0.5, null, 9, 3], // 1 + 0.5 · 4
    [10, 0, 10, 2, 1], // at the knee
    [13, 0, 10, 2, 8], // 1 + (2³ − 1)
    [13, 0.25, 10, 2, 11], // 1 + 0.25 · 12 + (2³ − 1)
  ])('of %i in flight with slope %f and knee %s, base %f is × %f', (inFlight, slope, kneeStart, kneeBase, factor) => {
    expect(loadFactor({ slope, kneeStart, kneeBase }, inFlight)).toBe(factor);
  });

  it.each([
    [{ slope: -1, kneeStart: null, kneeBase: 1 }, 1, 'slope must be a finite number of at least 0, got -1'],
    [{ slope: 0, kneeStart: 1.5, kneeBase: 1 }, 1, 'kneeStart must be a whole number of at least 0, got 1.5'],
    [{ slope: 0, kneeStart: 1, kneeBase: 0.5 }, 1, 'kneeBase must be a finite number of at least 1, got 0.5'],
    [{ slope: 0, kneeStart: null, kneeBase: 1 }, 0, 'inFlight must be a whole number of at least 1, got 0'],
  ])('out of range is refused: %j with %i in flight', (spec, inFlight, message) => {
    expect(() => loadFactor(spec, inFlight)).toThrow(new RangeError(message));
  });
});

describe('service time', () => {
  it('is first token plus per-token times output tokens, times load', () => {
    expect(serviceMs({ firstTokenMs: 500, perOutputTokenMs: 10, outputTokens: 200 }, 1.5)).toBe(3750);
  });

  it('counts the prompt by the token, before the first one of the answer', () => {
    const times = { firstTokenMs: 30, perInputTokenMs: 0.5, inputTokens: 1000, perOutputTokenMs: 10, outputTokens: 2 };
    expect([promptMs(times), serviceMs(times, 2)]).toEqual([530, 1100]);
  });

  it('is rounded to a microsecond', () => {
    expect([underLoad(1, 1 / 3), underLoad(1, 2 / 3)]).toEqual([0.333, 0.667]);
  });

  it('that a load makes endless is thirty years', () => {
    const factor = loadFactor({ slope: 0, kneeStart: 0, kneeBase: 10 }, 400);
    expect(underLoad(1, factor)).toBe(1e12);
    expect(underLoad(0, factor)).toBe(0);
  });
  it('below 0 is refused', () => {
    expect(() => underLoad(-1, 2)).toThrow('service time under load must be at least 0, got -2');
  });
});
