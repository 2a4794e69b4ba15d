/** A server with so many places and a queue: who is worked on, who waits in silence, who is turned away. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProviderModel } from '../src/models/provider-model.js';
import type { ServerSpec } from '../src/models/service-line.js';
import type { AdmittedLease, Verdict } from '../src/models/verdict.js';

const FACTS = { inputTokens: 1, maxTokens: 0 };
const USED = { inputTokens: 1, outputTokens: 0 };

function admitted(verdict: Verdict): AdmittedLease {
  if (verdict.kind === 'admitted') return verdict.lease;
  throw new Error(`refused by ${verdict.quota}`);
}

/** A server whose requests are numbered as they come, and the numbers of those that it has begun. */
function opened(server: ServerSpec) {
  const model = new ProviderModel([], { server });
  const begun: number[] = [];
  let count = 0;
  const come = (ms: number): AdmittedLease => {
    const number = count++;
    const lease = admitted(model.decide(FACTS, ms));
    lease.whenServed(() => begun.push(number));
    return lease;
  };
  return { model, begun, come };
}

describe('a server', () => {
  it('works on so many at once and begins with the next when one is answered, first come, first served', () => {
    const { model, begun, come } = opened({ slots: 2, queue: null });
    const leases = [0, 1, 2, 3, 4].map(come);
    expect(begun).toEqual([0, 1]);
    leases[1]?.answered(USED, 10);
    expect(begun).toEqual([0, 1, 2]);
    leases[0]?.answered(USED, 10);
    leases[2]?.answered(USED, 11);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect([model.inFlight, model.inService]).toEqual([2, 2]);
  });

  it('refuses when its queue is full: overload, 503, by the name of the queue', () => {
    const { model, come } = opened({ slots: 1, queue: 2 });
    const leases = [0, 1, 2].map(come);
    expect(model.decide(FACTS, 3)).toEqual({
      kind: 'refused',
      quota: 'queue',
      scope: 'overload',
      status: 503,
      waitMs: null,
      tooLarge: false,
      lease: null,
    });
    leases[0]?.answered(USED, 4);
    expect(model.decide(FACTS, 5).kind).toBe('admitted');
    expect(model.ledger()).toMatchObject({ admitted: 4, refused: 1, refusedBy: { queue: 1 }, peakInFlight: 3 });
  });

  it('with a queue of none refuses where all places are taken', () => {
    const { model, come } = opened({ slots: 2, queue: 0 });
    [0, 1].map(come);
    expect(model.decide(FACTS, 2)).toMatchObject({ kind: 'refused', quota: 'queue' });
  });

  it('forgets who goes away while waiting, and gives the place of who goes away while worked on to the next', () => {
    const { model, begun, come } = opened({ slots: 1, queue: null });
    const leases = [0, 1, 2, 3].map(come);
    leases[1]?.abandoned(5);
    leases[0]?.abandoned(6);
    expect(begun).toEqual([0, 2]);
    leases[2]?.answered(USED, 7);
    expect(begun).toEqual([0, 2, 3]);
    expect(model.ledger()).toMatchObject({ abandoned: 2, inFlight: 1 });
  });

  it('with more places begins with more; with fewer lets those it works on finish', () => {
    const { model, begun, come } = opened({ slots: 1, queue: 9 });
    const leases = [0, 1, 2, 3].map(come);
    model.reconfigure([], 4, { slots: 3, queue: 9 });
    expect(begun).toEqual([0, 1, 2]);
    model.reconfigure([], 5, { slots: 1, queue: 9 });
    leases[0]?.answered(USED, 6);
    leases[1]?.answered(USED, 7);
    expect([begun, model.inService]).toEqual([[0, 1, 2], 1]);
    leases[2]?.answered(USED, 8);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('admits by the quotas first: who is refused there never waits', () => {
    const model = new ProviderModel([{ kind: 'concurrency', name: 'concurrency', limit: 1, refusedCount: false }], {
      server: { slots: 1, queue: 5 },
    });
    model.decide(FACTS, 0);
    expect(model.decide(FACTS, 1)).toMatchObject({ quota: 'concurrency' });
  });

  it('works on all at once where there is none', () => {
    const model = new ProviderModel([]);
    const begun: number[] = [];
    for (let n = 0; n < 50; n += 1) admitted(model.decide(FACTS, 0)).whenServed(() => begun.push(n));
    expect([begun.length, model.inService]).toEqual([50, 50]);
  });

  it('never works on more than it has places, nor idles while one waits, whatever happens', () => {
    const step = fc.record({ does: fc.constantFrom('come', 'come', 'answer', 'abandon'), which: fc.nat({ max: 50 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(null, 0, 3),
        fc.array(step, { maxLength: 80 }),
        (slots, queue, script) => {
          const model = new ProviderModel([], { server: { slots, queue } });
          const waiting: AdmittedLease[] = [];
          const serving: AdmittedLease[] = [];
          const faults: string[] = [];
          script.forEach(({ does, which }, ms) => {
            if (does === 'come') {
              const verdict = model.decide(FACTS, ms);
              const isFull = serving.length === slots && queue !== null && waiting.length >= queue;
              if ((verdict.kind === 'refused') !== isFull) faults.push(`at ${ms}: ${verdict.kind}`);
              if (verdict.kind === 'refused') return;
              const { lease } = verdict;
              waiting.push(lease);
              lease.whenServed(() => {
                if (waiting[0] !== lease) faults.push(`at ${ms}: out of turn`);
                waiting.shift();
                serving.push(lease);
              });
            } else {
              const all = [...serving, ...waiting];
              const lease = all[which % Math.max(1, all.length)];
              if (lease === undefined) return;
              for (const list of [serving, waiting]) if (list.includes(lease)) list.splice(list.indexOf(lease), 1);
              if (does === 'answer') lease.answered(USED, ms);
              else lease.abandoned(ms);
            }
            if (serving.length > slots) faults.push(`at ${ms}: ${serving.length} at once`);
            if (serving.length < slots && waiting.length > 0) faults.push(`at ${ms}: idle`);
            if (model.inService !== serving.length) faults.push(`at ${ms}: counts ${model.inService}`);
          });
          expect(faults).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    [{ slots: 0, queue: null }, 'slots must be a whole number of at least 1, got 0'],
    [{ slots: 1, queue: -1 }, 'queue must be a whole number of at least 0 or null, got -1'],
  ])('of %o is refused', (server, message) => {
    expect(() => new ProviderModel([], { server })).toThrow(new RangeError(`server: ${message}`));
    const model = new ProviderModel([], { server: { slots: 1, queue: null } });
    expect(() => model.reconfigure([], 0, server)).toThrow(new RangeError(`server: ${message}`));
  });

  it('refuses to begin what has ended', () => {
    const lease = admitted(new ProviderModel([]).decide(FACTS, 0));
    lease.answered(USED, 1);
    expect(() => lease.whenServed(() => {})).toThrow('this lease was already answered');
  });
});
