/**
 * How much of what a provider gives a run has used, and what it was refused, from a given instant on: so that a start is
 * not measured with what follows it. Of each quota the share of its limit that was used, over the time in which it stood;
 * the utilisation of a key is that of its scarcest quota. A pure function of the trace.
 */

import type { ProviderSettings, QuotaSettings } from '../scenario/scenario.js';
import type { ProviderChanged, RequestSettled, TraceEvent } from '../trace/events.js';
import { scenarioOf } from './scenario-facts.js';

export interface KeyUtilisation {
  /** Of the scarcest quota; null where there is none, or it gave nothing. */
  readonly utilisation: number | null;
  /** By name of the quota; a ramp has no share. */
  readonly quotas: Readonly<Record<string, number | null>>;
  /** Requests that the provider had taken on, a mean over time. */
  readonly inService: number;
  /** Settled in the time that is measured; `refused` settled as a throttle. */
  readonly attempts: number;
  readonly refused: number;
  readonly succeeded: number;
  /** Null where nothing was settled. */
  readonly refusedShare: number | null;
}

/** What one quota could have given so far, in its own unit: place-milliseconds, requests or tokens. */
interface Offer {
  quota: QuotaSettings;
  given: number;
}

interface KeyBooks {
  readonly offers: Map<string, Offer>;
  /** Place-milliseconds of attempts that the provider took on: of those that are over. */
  served: number;
  /** Of these, how many it took on in the time that is measured. */
  taken: number;
  attempts: number;
  refused: number;
  succeeded: number;
  input: number;
  output: number;
}

interface OpenAttempt {
  readonly key: string;
  readonly admittedAt: number;
}

export class Utilisation {
  readonly #fromMs: number;
  readonly #keys = new Map<string, KeyBooks>();
  readonly #open = new Map<number, OpenAttempt>();
  #providers: Readonly<Record<string, ProviderSettings>> = {};
  #changes = 0;
  #scenario: ReturnType<typeof scenarioOf> | undefined;
  /** Up to here the offers are added up. */
  #offeredTo: number;
  #now = 0;

  /** @param fromMs what comes before it is not measured. */
  constructor(fromMs = 0) {
    this.#fromMs = fromMs;
    this.#offeredTo = fromMs;
  }

  observe(event: TraceEvent): void {
    this.#now = event.t;
    switch (event.type) {
      case 'trace-started':
        this.#scenario = scenarioOf(event);
        this.#providers = this.#scenario.providers;
        break;
      case 'request-admitted':
        this.#open.set(event.id, { key: event.key, admittedAt: event.t });
        break;
      case 'request-settled':
        this.#settled(event);
        break;
      case 'provider-changed':
        this.#providerChanged(event);
        break;
    }
  }

  /** By `provider/model`, of each key that was asked. Up to the latest event. */
  figures(): Readonly<Record<string, KeyUtilisation>> {
    this.#offer();
    const used = new Map([...this.#keys].map(([name, books]) => [name, { ...books }]));
    for (const { key, admittedAt } of this.#open.values()) {
      const books = used.get(key) ?? { ...this.#key(key) };
      used.set(key, books);
      books.served += this.#overlap(admittedAt);
      // Whoever was let in at the very end has used nothing yet.
      if (admittedAt >= this.#fromMs && admittedAt < this.#now) books.taken++;
    }
    return Object.fromEntries([...used].map(([name, books]) => [name, this.#figuresOf(books)]));
  }

  #figuresOf(books: KeyBooks): KeyUtilisation {
    const { offers, served, attempts, refused, succeeded } = books;
    const quotas = Object.fromEntries(
      [...offers].map(([name, { quota, given }]) => [name, given > 0 ? usedOf(quota, books) / given : null]),
    );
    const shares = Object.values(quotas).filter((share) => share !== null);
    const span = this.#now - this.#fromMs;
    return {
      utilisation: shares.length === 0 ? null : Math.max(...shares),
      quotas,
      inService: span > 0 ? served / span : 0,
      attempts,
      refused,
      succeeded,
      refusedShare: attempts === 0 ? null : refused / attempts,
    };
  }

  #settled({ t, id, key, outcome, refusedBy, inputTokens = 0, outputTokens = 0 }: RequestSettled): void {
    const admittedAt = this.#open.get(id)?.admittedAt ?? t;
    this.#open.delete(id);
    const books = this.#key(key);
    const isRefused = outcome === 'throttled' || refusedBy !== undefined;
    if (!isRefused) books.served += this.#overlap(admittedAt);
    if (!isRefused && admittedAt >= this.#fromMs) books.taken++;
    if (t < this.#fromMs) return;
    books.attempts++;
    if (outcome === 'throttled') books.refused++;
    if (outcome !== 'succeeded') return;
    books.succeeded++;
    books.input += inputTokens;
    books.output += outputTokens;
  }

  /** Of what began at `since` and lasts until now, the part that is measured. */
  #overlap(since: number): number {
    return Math.max(0, this.#now - Math.max(since, this.#fromMs));
  }

  /** The trace states the value as written; what the provider becomes is in the scenario, at the same place in order. */
  #providerChanged({ path }: ProviderChanged): void {
    const entry = this.#scenario?.timeline.filter((one) => one.kind === 'set')[this.#changes++];
    if (entry === undefined || entry.path !== path) {
      throw new RangeError(`provider-changed: expected change ${this.#changes} of the timeline, got ${path}`);
    }
    this.#offer();
    this.#providers = { ...this.#providers, [entry.provider]: entry.becomes };
    for (const [name, { offers }] of this.#keys) {
      for (const quota of quotasOf(name, this.#providers)) {
        const offer = offers.get(quota.name);
        if (offer !== undefined) offer.quota = quota;
      }
    }
  }

  /** Adds what the quotas have given since they were last added up. */
  #offer(): void {
    const span = Math.max(0, this.#now - this.#offeredTo);
    this.#offeredTo += span;
    for (const { offers } of this.#keys.values()) {
      for (const offer of offers.values()) offer.given += span * perMs(offer.quota);
    }
  }

  #key(name: string): KeyBooks {
    let books = this.#keys.get(name);
    if (books === undefined) {
      const already = this.#offeredTo - this.#fromMs;
      const offers = quotasOf(name, this.#providers)
        .filter(({ kind }) => kind !== 'ramp')
        .map((quota) => [quota.name, { quota, given: already * perMs(quota) }] as const);
      books = {
        offers: new Map(offers),
        ...{ served: 0, taken: 0, attempts: 0, refused: 0, succeeded: 0, input: 0, output: 0 },
      };
      this.#keys.set(name, books);
    }
    return books;
  }
}

function quotasOf(key: string, providers: Readonly<Record<string, ProviderSettings>>): readonly QuotaSettings[] {
  const slash = key.indexOf('/');
  const provider = providers[key.slice(0, slash)];
  return [...(provider?.quotas ?? []), ...(provider?.models[key.slice(slash + 1)]?.quotas ?? [])];
}

function perMs(quota: QuotaSettings): number {
  return quota.kind === 'concurrency' ? quota.limit : quota.limit / quota.perMs;
}

function usedOf(quota: QuotaSettings, { served, taken, input, output }: KeyBooks): number {
  if (quota.kind === 'concurrency') return served;
  if (quota.kind !== 'tokens') return taken;
  const { counts, outputWeight = 1 } = quota;
  return (counts === 'output' ? 0 : input) + (counts === 'input' ? 0 : outputWeight * output);
}
