/**
 * The ring behind the sliding window, against a plain array that forgets nothing but time.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpendLog } from '../src/models/spend-log.js';

const WINDOW = 50;
const ENOUGH = 40;

const action = fc.record({
  stepUs: fc.nat({ max: 3 }),
  kind: fc.constantFrom('charge', 'reserve', 'close'),
  amount: fc.nat({ max: 9 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

interface Entry {
  readonly at: number;
  readonly left: number;
}

describe('a spend log', () => {
  it('answers as an unbounded list does, as long as less than enough is spent', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 400, size: 'max' }), (actions) => {
        const log = new SpendLog();
        let entries: Entry[] = [];
        let open: Entry[] = [];
        let nowUs = 0;
        for (const { stepUs, kind, amount, share } of actions) {
          nowUs += stepUs;
          log.dropUntil(nowUs - WINDOW);
          entries = entries.filter(({ at }) => at > nowUs - WINDOW);
          if (kind === 'close') {
            const [oldest, ...others] = open;
            if (oldest === undefined) continue;
            open = others;
            const unused = Math.floor(oldest.left * share);
            log.close(oldest.at, oldest.left, unused);
            if (entries.includes(oldest))
              entries = entries.map((e) => (e === oldest ? { ...e, left: e.left - unused } : e));
          } else {
            const entry = { at: nowUs, left: amount };
            log.record({ atUs: nowUs, amount, open: kind === 'reserve' ? amount : 0, enough: ENOUGH });
            entries.push(entry);
            if (kind === 'reserve') open.push(entry);
          }
          const total = entries.reduce((sum, { left }) => sum + left, 0);
          // What the log forgot may be missing from both sums, but never from the answer to "when does one more fit".
          if (total < ENOUGH) expect(log.total).toBe(total);
          else expect(log.total).toBeGreaterThanOrEqual(ENOUGH);
          if (total >= ENOUGH)
            expect(log.whenOldestSpent(log.total + 1 - ENOUGH)).toBe(whenOldestSpent(entries, total + 1 - ENOUGH));
        }
      }),
    );
  });

  it.each(['charged', 'reserved and kept'])(
    'stays as long as what can matter, through a million spendings in one window: %s',
    (kind) => {
      const log = new SpendLog();
      for (let atUs = 0; atUs < 1_000_000; atUs += 1) {
        log.record({ atUs, amount: 1, open: kind === 'charged' ? 0 : 1, enough: 100 });
        if (kind !== 'charged') log.close(atUs, 1, 0);
      }
      expect([log.capacity, log.whenOldestSpent(log.total - 99)]).toEqual([256, 999_900]);
    },
  );

  it('forgets what was given back whole', () => {
    const log = new SpendLog();
    for (let atUs = 0; atUs < 1_000_000; atUs += 1) {
      log.record({ atUs, amount: 7, open: 7, enough: 100 });
      log.close(atUs, 7, 7);
    }
    expect([log.capacity, log.total]).toEqual([16, 0]);
  });

  it('keeps what may still be given back, however much was reserved after it', () => {
    const log = new SpendLog();
    for (let atUs = 0; atUs < 100; atUs += 1) log.record({ atUs, amount: 10, open: 10, enough: 10 });
    log.close(0, 10, 10);
    expect(log.total).toBe(990);
  });
});

function whenOldestSpent(entries: readonly Entry[], amount: number): number | undefined {
  let sum = 0;
  return entries.find(({ left }) => {
    sum += left;
    return sum >= amount;
  })?.at;
}
