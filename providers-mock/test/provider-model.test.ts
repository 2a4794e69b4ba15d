/**
 * The model as a whole, on the field cases that it must get right, with the numbers written out.
 */

import { describe, expect, it } from 'vitest';
import { createProvider } from '../src/models/provider.js';
import { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec } from '../src/models/quota-spec.js';
import type { Lease, Verdict } from '../src/models/verdict.js';

const FACTS = { inputTokens: 10, maxTokens: 10 };
const USAGE = { inputTokens: 10, outputTokens: 5 };

type Concurrency = Extract<QuotaSpec, { kind: 'concurrency' }>;
type Requests = Extract<QuotaSpec, { kind: 'requests' }>;
type Tokens = Extract<QuotaSpec, { kind: 'tokens' }>;

function concurrency(limit: number, more: Partial<Concurrency> = {}): Concurrency {
  return { kind: 'concurrency', name: 'concurrency', limit, refusedCount: false, ...more };
}

function requests(limit: number, more: Partial<Requests> = {}): Requests {
  const refill = 'token-bucket';
  return { kind: 'requests', name: 'rpm', limit, perMs: 60_000, refill, burst: limit, refusedCount: false, ...more };
}

function tokens(limit: number, more: Partial<Tokens> = {}): Tokens {
  return {
    ...requests(limit),
    kind: 'tokens',
    name: 'tpm',
    counts: 'total',
    reserve: 'max-tokens',
    settle: 'refund',
    ...more,
  };
}

function leaseOf(verdict: Verdict): Lease {
  if (verdict.lease !== null) return verdict.lease;
  throw new Error('expected a lease');
}

function kinds(verdicts: readonly Verdict[]): string[] {
  return verdicts.map((verdict) => verdict.kind);
}

describe('a concurrency quota', () => {
  it('refuses exactly the overflow of every step of a staircase', () => {
    const refusedOf = (inFlight: number): number => {
      const model = new ProviderModel([concurrency(8)]);
      for (let n = 0; n < inFlight; n += 1) model.decide(FACTS, 0);
      return model.ledger().refused;
    };
    const steps = Array.from({ length: 20 }, (_, index) => refusedOf(index + 1));
    expect(steps).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it('names itself and gives no wait, since nobody knows when a place becomes free', () => {
    const model = new ProviderModel([concurrency(0)]);
    expect(model.decide(FACTS, 0)).toEqual({
      kind: 'refused',
      quota: 'concurrency',
      scope: 'concurrency',
      waitMs: null,
      tooLarge: false,
      lease: null,
    });
  });

  it('keeps seven in flight over a cut from 10 to 3, and lets in three more when it is 10 again', () => {
    const model = new ProviderModel([concurrency(10)]);
    const leases = Array.from({ length: 7 }, () => leaseOf(model.decide(FACTS, 0)));
    model.reconfigure([concurrency(3)], 1000);
    expect([model.inFlight, model.decide(FACTS, 1000).kind]).toEqual([7, 'refused']);
    model.reconfigure([concurrency(10)], 2000);
    expect(kinds([1, 2, 3, 4].map(() => model.decide(FACTS, 2000)))).toEqual([
      'admitted',
      'admitted',
      'admitted',
      'refused',
    ]);
    model.reconfigure([concurrency(3)], 3000);
    for (const lease of leases) lease.answered(USAGE, 4000);
    expect([model.inFlight, model.decide(FACTS, 4000).kind]).toEqual([3, 'refused']);
    expect(model.ledger()).toMatchObject({ admitted: 10, refused: 3, peakInFlight: 10, inFlight: 3 });
  });
});

describe('refused requests', () => {
  /** A runs, B is refused, A ends; then C. */
  function thirdRequest(quotas: readonly QuotaSpec[]): { c: Verdict; b: Verdict; model: ProviderModel } {
    const model = new ProviderModel(quotas);
    const a = model.decide(FACTS, 0);
    const b = model.decide(FACTS, 10);
    leaseOf(a).answered(USAGE, 20);
    return { b, c: model.decide(FACTS, 30), model };
  }

  it('hold no place in a concurrency quota when they do not count', () => {
    const { b, c } = thirdRequest([concurrency(1)]);
    expect([b.kind, b.lease, c.kind]).toEqual(['refused', null, 'admitted']);
  });

  it('hold a place until the refusal is answered when they count', () => {
    const { b, c, model } = thirdRequest([concurrency(1, { refusedCount: true })]);
    expect([b.kind, c.kind, model.inFlight]).toEqual(['refused', 'refused', 0]);
    leaseOf(b).answered(USAGE, 40);
    leaseOf(c).abandoned(40);
    expect(model.decide(FACTS, 50).kind).toBe('admitted');
    expect(model.ledger()).toMatchObject({ admitted: 2, refused: 2, abandoned: 0, peakInFlight: 1 });
  });

  it.each([
    ['token-bucket', false, 'admitted', 'refused'],
    ['token-bucket', true, 'refused', 'refused'],
    ['fixed-window', false, 'admitted', 'refused'],
    ['fixed-window', true, 'refused', 'refused'],
    ['sliding-window', false, 'admitted', 'refused'],
    ['sliding-window', true, 'refused', 'refused'],
  ] as const)('cost a request of a %s only where they count (%s): C is %s', (refill, refusedCount, c, d) => {
    const { c: third, model } = thirdRequest([concurrency(1), requests(2, { refill, refusedCount })]);
    if (third.kind === 'admitted') leaseOf(third).answered(USAGE, 40);
    expect([third.kind, model.decide(FACTS, 50).kind]).toEqual([c, d]);
  });

  it('empty a bucket but never overdraw it: who stops for one refill gets in', () => {
    const model = new ProviderModel([requests(60, { burst: 1, refusedCount: true })]);
    model.decide(FACTS, 0);
    const waits = [500, 999, 1998]
      .map((nowMs) => model.decide(FACTS, nowMs))
      .map((v) => v.kind === 'refused' && v.waitMs);
    expect(waits).toEqual([1000, 1000, 1000]);
    expect(model.decide(FACTS, 2998).kind).toBe('admitted');
  });

  it('stay in the log of a sliding window, so that a hot retry closes it until it stops', () => {
    const model = new ProviderModel([requests(2, { perMs: 1000, refill: 'sliding-window', refusedCount: true })]);
    const verdicts = [0, 100, 200, 900, 1200, 2199, 3198].map((nowMs) => model.decide(FACTS, nowMs));
    expect(verdicts.map((v) => (v.kind === 'admitted' ? 'admitted' : v.waitMs))).toEqual([
      'admitted',
      'admitted',
      900, // 100 and 200 must leave: the next at 1100 sees one of them
      300, // 200 and 900: at 1200 only 900 is left
      'admitted',
      'admitted',
      'admitted',
    ]);
  });
});

describe('quotas together', () => {
  it('let the first that refuses name itself, and take nothing from the others', () => {
    const model = new ProviderModel([requests(2), tokens(100, { burst: 30 })]);
    const verdicts = [0, 0, 6000].map((nowMs) => model.decide(FACTS, nowMs));
    expect(verdicts[1]).toMatchObject({ quota: 'tpm', scope: 'tokens', waitMs: 6000 });
    expect(verdicts[2]?.kind).toBe('admitted');
    expect(model.ledger().refusedBy).toEqual({ rpm: 0, tpm: 1 });
  });

  it('state the wait after which all of them have room, whoever refused', () => {
    const model = new ProviderModel([requests(60, { burst: 1 }), tokens(60, { burst: 20 })]);
    model.decide(FACTS, 0);
    // One request refills in 1 s, twenty tokens in 20 s.
    expect(model.decide(FACTS, 0)).toMatchObject({ quota: 'rpm', waitMs: 20_000, tooLarge: false });
  });

  it('leave places in flight out of the wait', () => {
    const model = new ProviderModel([requests(60, { burst: 1 }), concurrency(1)]);
    model.decide(FACTS, 0);
    expect(model.decide(FACTS, 0)).toMatchObject({ quota: 'rpm', waitMs: 1000 });
    expect(model.decide(FACTS, 1000)).toMatchObject({ quota: 'concurrency', waitMs: null });
  });

  it('tell a request that exceeds one of them so at once, also when another would refuse first', () => {
    const model = new ProviderModel([concurrency(0), tokens(100)]);
    const verdict = model.decide({ inputTokens: 200, maxTokens: 0 }, 0);
    expect(verdict).toMatchObject({ quota: 'tpm', scope: 'tokens', waitMs: null, tooLarge: true });
  });

  it('of a provider are shared by its models, each with its own ledger', () => {
    const spec = (limit: number) => ({
      quotas: [concurrency(limit, { name: 'account' })],
      models: { large: { quotas: [requests(1)] }, small: { quotas: [] } },
    });
    const provider = createProvider(spec(2));
    const [large, small] = [provider.model('large'), provider.model('small')];
    const first = large.decide(FACTS, 0);
    expect(kinds([large.decide(FACTS, 1), small.decide(FACTS, 2), small.decide(FACTS, 3)])).toEqual([
      'refused',
      'admitted',
      'refused',
    ]);
    // Both have no room; the provider's quotas are asked first.
    expect(large.decide(FACTS, 3)).toMatchObject({ quota: 'account' });
    leaseOf(first).abandoned(4);
    provider.reconfigure(spec(1), 5);
    expect(small.decide(FACTS, 6).kind).toBe('refused');
    provider.reconfigure(spec(3), 7);
    expect(small.decide(FACTS, 8).kind).toBe('admitted');
    expect(provider.ledger()).toMatchObject({
      large: { requests: 3, admitted: 1, abandoned: 1, inFlight: 0, refusedBy: { account: 1, rpm: 1 } },
      small: { requests: 4, admitted: 2, abandoned: 0, inFlight: 2, refusedBy: { account: 2 } },
    });
    expect(() => provider.model('medium')).toThrow('model must be one of large, small, got medium');
  });

  it('of a provider share one time', () => {
    const provider = createProvider({ quotas: [], models: { large: { quotas: [] }, small: { quotas: [] } } });
    provider.model('large').decide(FACTS, 10);
    expect(() => provider.model('small').decide(FACTS, 9.999)).toThrow(
      new RangeError(
        'nowMs must be a finite number and not before the last one told (10), got 9.999; tell the time of one monotonic clock',
      ),
    );
  });
});

describe('tokens per minute', () => {
  /** Ten calls at once with 4,000 max_tokens, each using 100. */
  function tenCalls(quota: QuotaSpec): { model: ProviderModel; admitted: Lease[]; waitMs: unknown } {
    const model = new ProviderModel([quota]);
    const verdicts = Array.from({ length: 10 }, () => model.decide({ inputTokens: 0, maxTokens: 4000 }, 0));
    const refused = verdicts.find((verdict) => verdict.kind === 'refused');
    const admitted = verdicts.flatMap((verdict) => (verdict.kind === 'admitted' ? [verdict.lease] : []));
    return { model, admitted, waitMs: refused?.waitMs };
  }

  function levelAfter(model: ProviderModel, nowMs: number): number {
    const fits = (need: number) => {
      const verdict = model.decide({ inputTokens: 0, maxTokens: need }, nowMs);
      return verdict.kind === 'admitted';
    };
    for (let need = 10_000; need > 0; need -= 100) if (fits(need)) return need;
    return 0;
  }

  it.each([
    // refill, admitted of ten, wait of the third call
    ['token-bucket', 2, 12_000], // 2,000 more at 166.7 a second
    ['fixed-window', 2, 60_000],
    ['sliding-window', 2, 60_000],
  ] as const)('reserved by max_tokens let in two calls of ten: %s', (refill, count, waitMs) => {
    const run = tenCalls(tokens(10_000, { refill, counts: 'output' }));
    expect([run.admitted.length, run.waitMs]).toEqual([count, waitMs]);
    for (const lease of run.admitted) lease.answered({ inputTokens: 0, outputTokens: 100 }, 0);
    // Both give back 3,900.
    expect(levelAfter(run.model, 0)).toBe(9800);
  });

  it.each(['token-bucket', 'fixed-window', 'sliding-window'] as const)(
    'kept at the end stay as reserved, whatever was used: %s',
    (refill) => {
      const run = tenCalls(tokens(10_000, { refill, counts: 'output', settle: 'keep' }));
      for (const lease of run.admitted) lease.answered({ inputTokens: 0, outputTokens: 100 }, 0);
      expect(levelAfter(run.model, 0)).toBe(2000);
    },
  );

  it.each(['token-bucket', 'fixed-window', 'sliding-window'] as const)(
    'charged at the end let in all ten calls, and count what they used: %s',
    (refill) => {
      const quota = tokens(10_000, { refill, counts: 'output', reserve: 'none' });
      const run = tenCalls(quota);
      expect(run.admitted.length).toBe(10);
      for (const lease of run.admitted) lease.answered({ inputTokens: 0, outputTokens: 999 }, 0);
      // 9,990 of 10,000 are spent: ten are left, and one more call of 15 overdraws the quota by five.
      leaseOf(run.model.decide({ inputTokens: 0, maxTokens: 15 }, 0)).answered({ inputTokens: 0, outputTokens: 15 }, 0);
      const waitMs = { 'token-bucket': 36, 'fixed-window': 60_000, 'sliding-window': 60_000 }[refill];
      expect(run.model.decide({ inputTokens: 0, maxTokens: 15 }, 0)).toMatchObject({ quota: 'tpm', waitMs });
    },
  );

  it.each([
    // counts, reserve, taken of input 30 and max_tokens 50
    ['input', 'none', 0],
    ['input', 'estimate', 30],
    ['input', 'max-tokens', 30],
    ['output', 'none', 0],
    ['output', 'estimate', 50],
    ['output', 'max-tokens', 50],
    ['total', 'none', 0],
    ['total', 'estimate', 30],
    ['total', 'max-tokens', 80],
  ] as const)(
    'counting %s with reserve %s take %i at admission, and settle at what was used',
    (counts, reserve, taken) => {
      // A probe asks for all that the bucket holds, which is one token where requests reserve nothing.
      const size = reserve === 'none' ? 1 : 1000;
      const probe = counts === 'output' ? { inputTokens: 0, maxTokens: size } : { inputTokens: size, maxTokens: 0 };
      /** At a token a second, the probe's wait tells what is missing. */
      const missing = (settle: (lease: Lease) => void): number => {
        const model = new ProviderModel([tokens(60, { burst: size, counts, reserve })]);
        settle(leaseOf(model.decide({ inputTokens: 30, maxTokens: 50 }, 0)));
        const verdict = model.decide(probe, 0);
        return verdict.kind === 'refused' ? (verdict.waitMs ?? Number.NaN) / 1000 : 0;
      };
      expect(missing(() => {})).toBe(taken);
      expect(missing((lease) => lease.abandoned(0))).toBe(taken);
      expect(missing((lease) => lease.answered({ inputTokens: 31, outputTokens: 7 }, 0))).toBe(
        { input: 31, output: 7, total: 38 }[counts],
      );
    },
  );

  it.each(['token-bucket', 'fixed-window', 'sliding-window'] as const)(
    'decide at once on a call of 200 where 100 is the whole: %s',
    (refill) => {
      const call = { inputTokens: 200, maxTokens: 0 };
      const reserving = new ProviderModel([tokens(100, { refill })]);
      expect(reserving.decide(call, 0)).toMatchObject({ quota: 'tpm', tooLarge: true, waitMs: null });

      const borrowing = new ProviderModel([tokens(100, { refill, reserve: 'none' })]);
      leaseOf(borrowing.decide(call, 0)).answered({ inputTokens: 200, outputTokens: 0 }, 0);
      // The bucket is 100 in debt and needs one more; a window forgives.
      const waitMs = { 'token-bucket': 60_600, 'fixed-window': 60_000, 'sliding-window': 60_000 }[refill];
      expect(borrowing.decide(call, 0)).toMatchObject({ tooLarge: false, waitMs });
      expect(borrowing.decide(call, waitMs).kind).toBe('admitted');
    },
  );
});

describe('a lease', () => {
  it('ends once, and a failed end leaves it held', () => {
    const model = new ProviderModel([concurrency(1)]);
    const lease = leaseOf(model.decide(FACTS, 5));
    expect(() => lease.answered({ inputTokens: 1, outputTokens: 0.5 }, 6)).toThrow(
      'outputTokens must be a whole number',
    );
    expect(() => lease.answered(USAGE, 4)).toThrow('nowMs must be');
    expect(model.inFlight).toBe(1);
    lease.answered(USAGE, 6);
    expect(() => lease.abandoned(7)).toThrow(new Error('this lease was already answered; end each lease once'));
    expect(model.ledger()).toEqual({
      requests: 1,
      admitted: 1,
      refused: 0,
      abandoned: 0,
      peakInFlight: 1,
      inFlight: 0,
      refusedBy: { concurrency: 0 },
      tokens: { input: 10, output: 5 },
    });
  });

  it('of a refused request ends once too', () => {
    const model = new ProviderModel([concurrency(0, { refusedCount: true })]);
    const lease = leaseOf(model.decide(FACTS, 0));
    lease.abandoned(1);
    expect(() => lease.answered(USAGE, 2)).toThrow('this lease was already abandoned; end each lease once');
  });
});

describe('the checks at the door', () => {
  const wrong: [string, unknown, string][] = [
    [
      'a fraction of a place',
      concurrency(1.5),
      'quota "concurrency": limit must be a whole number of at least 0, got 1.5',
    ],
    ['a limit below 0', requests(-1), 'quota "rpm": limit must be a whole number of at least 0, got -1'],
    ['no window', requests(1, { perMs: 0 }), 'quota "rpm": perMs must be at least 0.001 and finite, got 0'],
    [
      'an endless window',
      requests(1, { perMs: Infinity }),
      'quota "rpm": perMs must be at least 0.001 and finite, got Infinity',
    ],
    ['an empty bucket', requests(9, { burst: 0 }), 'quota "rpm": burst must be a whole number of at least 1, got 0'],
    [
      'an unknown kind',
      { ...concurrency(1), kind: 'calls' },
      'quota "concurrency": kind must be one of concurrency, requests, tokens, ramp, got calls',
    ],
    [
      'an unknown reserve',
      { ...tokens(1), reserve: 'all' },
      'quota "tpm": reserve must be one of none, estimate, max-tokens, larger, got all',
    ],
  ];

  it.each(wrong)('refuse %s', (_title, spec, message) => {
    expect(() => new ProviderModel([spec as QuotaSpec])).toThrow(new RangeError(message));
  });

  it('accept a limit of 0, which refuses everything and never says when', () => {
    for (const refill of ['token-bucket', 'fixed-window', 'sliding-window'] as const) {
      const model = new ProviderModel([requests(0, { refill, burst: 0 })]);
      expect(model.decide(FACTS, 0)).toMatchObject({ quota: 'rpm', waitMs: null, tooLarge: true });
    }
  });

  it('refuse half a token', () => {
    const model = new ProviderModel([]);
    expect(() => model.decide({ inputTokens: 1, maxTokens: 0.5 }, 0)).toThrow(
      'maxTokens must be a whole number of at least 0, got 0.5; round it where it is sampled',
    );
    expect(model.ledger().requests).toBe(0);
  });

  it('let a running model change numbers and nothing else, all or nothing', () => {
    const model = new ProviderModel([concurrency(1), requests(5)]);
    const attempts: [readonly QuotaSpec[], string][] = [
      [[concurrency(9)], 'a running provider keeps its 2 quotas, got 1'],
      [[concurrency(9), requests(5, { refill: 'fixed-window' })], 'refill cannot change while the provider runs'],
      [[concurrency(9), requests(5, { refusedCount: true })], 'refusedCount cannot change while the provider runs'],
      [[concurrency(9), requests(-5)], 'limit must be a whole number of at least 0, got -5'],
    ];
    for (const [specs, message] of attempts) expect(() => model.reconfigure(specs, 0)).toThrow(message);
    expect(kinds([model.decide(FACTS, 0), model.decide(FACTS, 0)])).toEqual(['admitted', 'refused']);
  });

  it('leave a provider as it was when one of its models is wrong', () => {
    const spec = (account: number, limit: number) => ({
      quotas: [concurrency(account)],
      models: { large: { quotas: [requests(limit)] } },
    });
    const provider = createProvider(spec(1, 5));
    expect(() => provider.reconfigure(spec(9, -5), 0)).toThrow('limit must be');
    expect(() => provider.reconfigure({ quotas: [concurrency(9)], models: { small: { quotas: [] } } }, 0)).toThrow(
      'a running provider keeps its models large, got small',
    );
    const model = provider.model('large');
    expect(kinds([model.decide(FACTS, 0), model.decide(FACTS, 0)])).toEqual(['admitted', 'refused']);
  });
});
