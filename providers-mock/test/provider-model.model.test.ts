/**
 * Random scripts against a naive provider that keeps every spending for ever and counts in big integers. It shares no
 * code with the models; every verdict, every wait and the ledger must come out the same.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProviderModel } from '../src/models/provider-model.js';
import type { QuotaSpec } from '../src/models/quota-spec.js';
import type { Lease, RequestFacts, Usage } from '../src/models/verdict.js';

type Tokens = Extract<QuotaSpec, { kind: 'tokens' }>;
type Quota = Exclude<QuotaSpec, { kind: 'ramp' }>;
type Rate = Exclude<Quota, { kind: 'concurrency' }>;

interface Spending {
  readonly atUs: number;
  amount: number;
}

/** A window by its definition: the sum over all spendings that lie inside it. */
class NaiveWindow {
  readonly spendings: Spending[] = [];
  readonly #spec: Rate;
  readonly #perUs: number;

  constructor(spec: Rate) {
    this.#spec = spec;
    this.#perUs = Math.round(spec.perMs * 1000);
  }

  waitUs(need: number, nowUs: number): number {
    if (need > this.#spec.limit) return Infinity;
    const ends =
      this.#spec.refill === 'fixed-window' ? [nowUs - (nowUs % this.#perUs)] : this.spendings.map((s) => s.atUs);
    const moments = [nowUs, ...ends.map((endUs) => endUs + this.#perUs).filter((endUs) => endUs > nowUs)];
    return Math.min(...moments.filter((atUs) => this.#spent(atUs) + need <= this.#spec.limit)) - nowUs;
  }

  refused(amount: number, nowUs: number): void {
    this.spend(amount, nowUs);
  }

  spend(amount: number, nowUs: number): Spending {
    const spending = { atUs: nowUs, amount };
    this.spendings.push(spending);
    return spending;
  }

  #spent(atUs: number): number {
    const startUs = this.#spec.refill === 'fixed-window' ? atUs - (atUs % this.#perUs) : atUs - this.#perUs + 1;
    return this.spendings.reduce((sum, s) => (s.atUs >= startUs ? sum + s.amount : sum), 0);
  }
}

/** A bucket as a level that is topped up, in perUs-ths of a unit. */
class NaiveBucket {
  #level: bigint;
  #lastUs = 0;
  readonly #limit: bigint;
  readonly #perUs: bigint;
  readonly #full: bigint;

  constructor(spec: Rate) {
    this.#limit = BigInt(spec.limit);
    this.#perUs = BigInt(Math.round(spec.perMs * 1000));
    this.#full = BigInt(spec.burst) * this.#perUs;
    this.#level = this.#full;
  }

  waitUs(need: number, nowUs: number): number {
    this.#topUp(nowUs);
    const needed = BigInt(need) * this.#perUs;
    if (needed > this.#full) return Infinity;
    const missing = needed - this.#level;
    return missing <= 0n ? 0 : Number((missing + this.#limit - 1n) / this.#limit);
  }

  refused(amount: number, nowUs: number): void {
    this.#topUp(nowUs);
    const left = this.#level - BigInt(amount) * this.#perUs;
    this.#level = left >= 0n ? left : this.#level < 0n ? this.#level : 0n;
  }

  spend(amount: number, nowUs: number): Spending {
    this.#topUp(nowUs);
    this.#level -= BigInt(amount) * this.#perUs;
    return { atUs: nowUs, amount };
  }

  giveBack(amount: number, nowUs: number): void {
    this.#topUp(nowUs);
    this.#level += BigInt(amount) * this.#perUs;
    this.#topUp(nowUs);
  }

  #topUp(nowUs: number): void {
    const level = this.#level + BigInt(nowUs - this.#lastUs) * this.#limit;
    this.#level = level > this.#full ? this.#full : level;
    this.#lastUs = nowUs;
  }
}

/** A window and a part of it that must both have room; what exceeds a whole part needs a whole part. */
class NaiveSmooth {
  readonly #whole: NaiveWindow;
  readonly #part: NaiveWindow;
  readonly #partLimit: number;

  constructor(spec: Rate, subWindowMs: number) {
    this.#partLimit = Math.ceil((spec.limit * Math.round(subWindowMs * 1000)) / Math.round(spec.perMs * 1000));
    this.#whole = new NaiveWindow(spec);
    this.#part = new NaiveWindow({ ...spec, limit: this.#partLimit, perMs: subWindowMs });
  }

  waitUs(need: number, nowUs: number): number {
    const inPart = Math.min(need, this.#partLimit);
    return Math.max(this.#whole.waitUs(need, nowUs), this.#part.waitUs(inPart, nowUs));
  }

  refused(amount: number, nowUs: number): void {
    this.spend(amount, nowUs);
  }

  spend(amount: number, nowUs: number): Spending {
    const [whole, part] = [this.#whole.spend(amount, nowUs), this.#part.spend(amount, nowUs)];
    return {
      atUs: nowUs,
      get amount() {
        return whole.amount;
      },
      set amount(value: number) {
        whole.amount = value;
        part.amount = value;
      },
    };
  }
}

type Takes = readonly (Spending | null)[];
type Decision =
  | { readonly kind: 'admitted'; readonly takes: Takes }
  | { readonly kind: 'refused'; readonly by: Quota; readonly waitMs: number | null; readonly tooLarge: boolean };

/** All quotas and the ledger, with every place counted by hand. */
class NaiveProvider {
  readonly ledger = {
    admitted: 0,
    refused: 0,
    abandoned: 0,
    peakInFlight: 0,
    inFlight: 0,
    tokens: { input: 0, output: 0 },
  };
  readonly refusedBy: Record<string, number>;
  readonly #places: number[];
  readonly #rates: (NaiveWindow | NaiveSmooth | NaiveBucket | null)[];
  readonly #specs: readonly Quota[];

  constructor(specs: readonly Quota[]) {
    this.#specs = specs;
    this.refusedBy = Object.fromEntries(specs.map(({ name }) => [name, 0]));
    this.#places = specs.map(() => 0);
    this.#rates = specs.map((spec) => {
      if (spec.kind === 'concurrency') return null;
      if (spec.refill === 'token-bucket') return new NaiveBucket(spec);
      return spec.subWindowMs === undefined ? new NaiveWindow(spec) : new NaiveSmooth(spec, spec.subWindowMs);
    });
  }

  decide(facts: RequestFacts, nowUs: number): Decision {
    const waits = this.#waits(facts, nowUs);
    if (waits.every((wait) => wait === 0)) return { kind: 'admitted', takes: this.#admit(facts, nowUs) };
    const tooLarge = waits.includes(Infinity);
    const by = this.#specs[tooLarge ? waits.indexOf(Infinity) : waits.findIndex((wait) => wait !== 0)]!;
    this.#refuse(by, facts, nowUs);
    const waitUs = Math.max(...this.#waits(facts, nowUs).map((wait) => wait ?? 0));
    return { kind: 'refused', by, waitMs: tooLarge || by.kind === 'concurrency' ? null : waitUs / 1000, tooLarge };
  }

  answered(facts: RequestFacts, usage: Usage, takes: Takes, nowUs: number): void {
    this.#leave();
    this.ledger.tokens.input += usage.inputTokens;
    this.ledger.tokens.output += usage.outputTokens;
    this.#specs.forEach((spec, n) => {
      if (spec.kind !== 'tokens') return;
      const more = used(spec, usage) - reserved(spec, facts);
      const rate = this.#rates[n]!;
      if (more > 0) rate.spend(more, nowUs);
      else if (spec.settle === 'keep') return;
      else if (rate instanceof NaiveBucket) rate.giveBack(-more, nowUs);
      else takes[n]!.amount += more;
    });
  }

  abandoned(): void {
    this.#leave();
    this.ledger.abandoned += 1;
  }

  refusalEnded(): void {
    this.#specs.forEach((spec, n) => {
      if (spec.refusedCount) this.#places[n]! -= 1;
    });
  }

  #waits(facts: RequestFacts, nowUs: number): (number | null)[] {
    return this.#specs.map((spec, n) => {
      if (spec.kind === 'concurrency') return this.#places[n]! < spec.limit ? 0 : null;
      return this.#rates[n]!.waitUs(Math.max(1, cost(spec, facts)), nowUs);
    });
  }

  #admit(facts: RequestFacts, nowUs: number): Takes {
    this.ledger.admitted += 1;
    this.ledger.inFlight += 1;
    this.ledger.peakInFlight = Math.max(this.ledger.peakInFlight, this.ledger.inFlight);
    return this.#specs.map((spec, n) => {
      this.#places[n]! += 1;
      return spec.kind === 'concurrency' ? null : this.#rates[n]!.spend(cost(spec, facts), nowUs);
    });
  }

  #refuse(by: Quota, facts: RequestFacts, nowUs: number): void {
    this.ledger.refused += 1;
    this.refusedBy[by.name]! += 1;
    this.#specs.forEach((spec, n) => {
      if (!spec.refusedCount) return;
      this.#places[n]! += 1;
      if (spec.kind !== 'concurrency') this.#rates[n]!.refused(cost(spec, facts), nowUs);
    });
  }

  #leave(): void {
    this.ledger.inFlight -= 1;
    this.#specs.forEach((_spec, n) => {
      this.#places[n]! -= 1;
    });
  }
}

function cost(spec: Rate, facts: RequestFacts): number {
  return spec.kind === 'tokens' ? reserved(spec, facts) : 1;
}

function reserved({ counts, reserve, cached }: Tokens, { inputTokens, cachedTokens, maxTokens }: RequestFacts): number {
  const prompt = inputTokens - (cached === 'free' ? (cachedTokens ?? 0) : 0);
  if (reserve === 'none') return 0;
  if (counts === 'input') return prompt;
  if (counts === 'output') return maxTokens;
  if (reserve === 'larger') return prompt > maxTokens ? prompt : maxTokens;
  return reserve === 'estimate' ? prompt : prompt + maxTokens;
}

function used({ counts, outputWeight = 1, cached }: Tokens, usage: Usage): number {
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const prompt = inputTokens - (cached === 'free' ? (cachedTokens ?? 0) : 0);
  const output = counts === 'total' ? outputWeight * outputTokens : outputTokens;
  return (counts === 'output' ? 0 : prompt) + (counts === 'input' ? 0 : output);
}

const quota: fc.Arbitrary<Quota> = fc
  .record({
    kind: fc.constantFrom<Quota['kind']>('concurrency', 'requests', 'tokens'),
    limit: fc.integer({ min: 1, max: 12 }),
    perMs: fc.integer({ min: 1, max: 30_000 }).map((us) => us / 1000),
    burst: fc.integer({ min: 1, max: 15 }),
    refill: fc.constantFrom('token-bucket', 'fixed-window', 'sliding-window'),
    refusedCount: fc.boolean(),
    counts: fc.constantFrom('input', 'output', 'total'),
    reserve: fc.constantFrom('none', 'estimate', 'max-tokens', 'larger'),
    settle: fc.constantFrom('refund', 'keep'),
    outputWeight: fc.constantFrom(1, 1, 3),
    cached: fc.constantFrom(undefined, 'counted', 'free'),
    part: fc.constantFrom(null, null, 0.1, 0.5, 0.9),
  })
  .map(({ part, ...options }) => {
    const subWindowMs = part === null ? 0 : Math.floor(options.perMs * part * 1000) / 1000;
    const isSmooth = options.kind !== 'concurrency' && options.refill !== 'token-bucket' && subWindowMs > 0;
    return { ...options, ...(isSmooth && { subWindowMs }), name: `${options.kind} of ${options.limit}` } as Quota;
  });

/** A bucket has none. */
function withoutPart(spec: Quota): Quota {
  return { ...spec, subWindowMs: undefined } as unknown as Quota;
}

interface Step {
  readonly stepUs: number;
  readonly does: 'decide' | 'answer' | 'abandon';
  /** Which of the held leases ends. */
  readonly which: number;
  readonly inputTokens: number;
  /** Of the input, in twelfths. */
  readonly cached: number;
  readonly maxTokens: number;
  readonly outputTokens: number;
}

const script: fc.Arbitrary<Step[]> = fc.array(
  fc.record<Step>({
    stepUs: fc.nat({ max: 5000 }),
    does: fc.constantFrom('decide', 'decide', 'decide', 'answer', 'answer', 'abandon'),
    which: fc.nat({ max: 20 }),
    inputTokens: fc.nat({ max: 8 }),
    cached: fc.nat({ max: 12 }),
    maxTokens: fc.nat({ max: 8 }),
    outputTokens: fc.nat({ max: 16 }),
  }),
  { maxLength: 120, size: 'max' },
);

interface Held {
  readonly lease: Lease;
  readonly facts: RequestFacts;
  /** null = the hold of a refused request. */
  readonly takes: Takes | null;
}

interface Seen {
  admitted: number;
  refused: number;
  tooLarge: number;
  held: number;
}

/** Plays the script to both and compares every verdict and every count in flight; `seen` counts what came up. */
function compare(quotas: readonly Quota[], steps: readonly Step[], seen: Seen): void {
  const model = new ProviderModel(quotas);
  const naive = new NaiveProvider(quotas);
  const holdsRefused = quotas.some((spec) => spec.kind === 'concurrency' && spec.refusedCount);
  const held: Held[] = [];
  const got: unknown[] = [];
  const wanted: unknown[] = [];
  let nowUs = 0;
  for (const { stepUs, does, which, inputTokens, cached, maxTokens, outputTokens } of steps) {
    const cachedTokens = Math.floor((inputTokens * cached) / 12);
    nowUs += stepUs;
    if (does === 'decide') {
      const facts = { inputTokens, cachedTokens, maxTokens };
      const { lease, ...verdict } = model.decide(facts, nowUs / 1000);
      const expected = naive.decide(facts, nowUs);
      got.push({ ...verdict, hasLease: lease !== null });
      wanted.push(worded(expected, holdsRefused));
      seen[expected.kind] += 1;
      if (expected.kind === 'refused' && expected.tooLarge) seen.tooLarge += 1;
      if (expected.kind === 'refused' && holdsRefused) seen.held += 1;
      if (lease !== null) held.push({ lease, facts, takes: expected.kind === 'admitted' ? expected.takes : null });
    } else if (held.length > 0) {
      const [{ lease, facts, takes }] = held.splice(which % held.length, 1) as [Held];
      const usage = { inputTokens, cachedTokens, outputTokens };
      if (does === 'answer') lease.answered(usage, nowUs / 1000);
      else lease.abandoned(nowUs / 1000);
      if (takes === null) naive.refusalEnded();
      else if (does === 'answer') naive.answered(facts, usage, takes, nowUs);
      else naive.abandoned();
    }
    got.push(model.inFlight);
    wanted.push(naive.ledger.inFlight);
  }
  expect(got).toEqual(wanted);
  const { ledger, refusedBy } = naive;
  expect(model.ledger()).toEqual({ requests: ledger.admitted + ledger.refused, ...ledger, refusedBy });
}

function worded(decision: Decision, holdsRefused: boolean): unknown {
  if (decision.kind === 'admitted') return { kind: 'admitted', hasLease: true };
  const { by, waitMs, tooLarge } = decision;
  return { kind: 'refused', quota: by.name, scope: by.kind, waitMs, tooLarge, hasLease: holdsRefused };
}

describe('a provider model', () => {
  it('gives the verdicts and keeps the ledger of a naive provider, over any script', () => {
    const seen = { admitted: 0, refused: 0, tooLarge: 0, held: 0 };
    fc.assert(
      fc.property(fc.array(quota, { maxLength: 4 }), script, (quotas, steps) => compare(quotas, steps, seen)),
      { numRuns: 400 },
    );
    // The scripts reach what they are for.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(400);
  });

  it.each(['token-bucket', 'fixed-window', 'sliding-window'] as const)(
    'does so with one quota alone, which no other shields from a bad state: %s',
    (refill) => {
      const seen = { admitted: 0, refused: 0, tooLarge: 0, held: 0 };
      const alone = quota.map(
        (spec) =>
          ({
            ...(refill === 'token-bucket' ? withoutPart(spec) : spec),
            kind: 'tokens',
            reserve: 'max-tokens',
            refill,
          }) as Quota,
      );
      fc.assert(
        fc.property(alone, script, (spec, steps) => compare([spec], steps, seen)),
        { numRuns: 300 },
      );
      expect(seen.refused).toBeGreaterThan(1000);
    },
  );
});
