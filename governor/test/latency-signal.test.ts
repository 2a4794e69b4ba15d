import { describe, expect, it } from 'vitest';
import { AimdController } from '../src/core/aimd.js';
import type { AimdOptions } from '../src/core/options.js';

function controller(options: Partial<AimdOptions> = {}) {
  const one = new AimdController({ key: 'p/m', initial: 16, growthLimit: 64, latencySignal: true, ...options });
  return {
    one,
    cap: () => one.snapshot().cap,
    /** Successes at the cap, each generated in 4 s after `firstTokenMs`; the changes they caused. */
    answers(count: number, firstTokenMs: number | undefined) {
      return Array.from({ length: count }).flatMap(() =>
        one.succeeded(0, one.admitted(0), {
          ...{ latencyMs: 4_000 + (firstTokenMs ?? 0), inFlightAtAdmission: one.snapshot().cap },
          ...(firstTokenMs !== undefined && { firstTokenMs }),
        }),
      );
    },
  };
}

describe('the latency signal', () => {
  it('cuts to the places there are when first tokens take several times the least, and holds until they do not', () => {
    const { one, answers, cap } = controller();
    answers(40, 500);
    // They wait 0.8 s of 5.3 s: of 16 in flight 2.4 do.
    expect(answers(12, 1_300)).toEqual([
      { key: 'p/m', previous: 16, next: 14, reason: 'provider_overloaded', lastBad: 16 },
    ]);
    one.waiting(0, 1);
    answers(8, 1_000);
    expect(cap()).toBe(14);
    answers(24, 600);
    expect(cap()).toBe(15);
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

  it('takes for the new normal what a cut does not shorten', () => {
    const { answers, cap } = controller();
    answers(8, 500);
    answers(12, 3_000);
    expect(cap()).toBe(10);
    answers(200, 3_000);
    expect(cap()).toBe(10);
  });

  it('measures against the quickest of the first answers: where one is served at a time, the others have queued', () => {
    const { one, answers, cap } = controller();
    for (let n = 0; n < 8; n++) {
      const inFlightAtAdmission = n + 1;
      one.succeeded(0, one.admitted(0), {
        ...{ firstTokenMs: 500 + 4_500 * n, latencyMs: 4_500 * (n + 1), inFlightAtAdmission },
      });
    }
    expect(cap()).toBe(1);
    answers(200, 500);
    expect(cap()).toBe(1);
  });

  it('goes beyond what showed a queue only after a dozen answers without one', () => {
    const { one, answers, cap } = controller();
    answers(40, 500);
    answers(12, 1_300);
    one.waiting(0, 1);
    answers(32, 500);
    expect(cap()).toBe(15);
    answers(11, 500);
    expect(cap()).toBe(15);
    answers(1, 500);
    expect(cap()).toBe(16);
  });

  it('leaves every fourth success a raise, where nobody knows of a wall', () => {
    const { one, answers, cap } = controller({ initial: 8 });
    const climb = (count: number): number[] =>
      Array.from({ length: count }, () => {
        answers(4, 500);
        return cap();
      });
    answers(8, 500);
    one.waiting(0, 1);
    expect(climb(4)).toEqual([9, 10, 11, 12]);
  });

  it('cuts on as long as cutting helps', () => {
    const { answers, cap } = controller();
    answers(8, 500);
    const caps = [8_000, 3_500, 1_500].map((time) => {
      answers(12, time);
      return cap();
    });
    expect(caps).toEqual([6, 4, 3]);
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
