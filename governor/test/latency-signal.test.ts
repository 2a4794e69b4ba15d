import { describe, expect, it } from 'vitest';
import { AimdController } from '../src/core/aimd.js';
import type { AimdOptions } from '../src/core/options.js';

function controller(options: Partial<AimdOptions> = {}) {
  const one = new AimdController({ key: 'p/m', initial: 16, growthLimit: 64, latencySignal: true, ...options });
  return {
    one,
    cap: () => one.snapshot().cap,
    /** Successes whose first token came after `firstTokenMs`; the changes they caused. */
    answers(count: number, firstTokenMs: number | undefined) {
      return Array.from({ length: count }).flatMap(() =>
        one.succeeded(0, one.admitted(0), {
          ...{ latencyMs: 9_000, inFlightAtAdmission: 1 },
          ...(firstTokenMs !== undefined && { firstTokenMs }),
        }),
      );
    },
  };
}

describe('the latency signal', () => {
  it('cuts when first tokens take several times the least, and holds until they do not', () => {
    const { one, answers, cap } = controller();
    answers(40, 500);
    expect(answers(12, 1_300)).toEqual([
      { key: 'p/m', previous: 16, next: 12, reason: 'provider_overloaded', lastBad: 16 },
    ]);
    one.waiting(0, 1);
    answers(8, 1_000);
    expect(cap()).toBe(12);
    answers(24, 600);
    expect(cap()).toBe(13);
  });

  it('is deaf to a few long prompts, and to the total time', () => {
    const { answers, cap } = controller();
    answers(8, 500);
    for (let n = 0; n < 40; n++) {
      answers(2, 20_000);
      answers(1, 500);
    }
    expect(cap()).toBe(16);
  });

  it('takes for the new normal what two cuts do not shorten', () => {
    const { answers, cap } = controller();
    answers(8, 500);
    answers(12, 3_000);
    answers(12, 3_000);
    expect(cap()).toBe(9);
    answers(200, 3_000);
    expect(cap()).toBe(9);
  });

  it('cuts on as long as cutting helps', () => {
    const { answers, cap } = controller();
    answers(8, 500);
    for (const time of [4_000, 3_000, 2_250, 1_600]) answers(12, time);
    expect(cap()).toBe(4);
  });

  it('forgets with an idle reset', () => {
    const { one, answers, cap } = controller();
    answers(8, 500);
    answers(12, 2_000);
    one.observed(300_000);
    answers(200, 2_000);
    expect(cap()).toBe(16);
  });

  it('is off by default, and silent where nobody tells when the first token came', () => {
    const off = controller({ latencySignal: false });
    off.answers(40, 500);
    off.answers(400, 9_000);
    expect(off.cap()).toBe(16);
    const { answers, cap } = controller();
    answers(400, undefined);
    expect(cap()).toBe(16);
  });
});
