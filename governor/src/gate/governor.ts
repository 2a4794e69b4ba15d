/**
 * The governor: one bucket per key, shared by every run and by whoever asks without one. Finds the bucket, knows the
 * runs, forgets idle keys. Caps are the controllers' business, admission the buckets', seats the runs'.
 */

import { AimdController } from '../core/aimd.js';
import type { RetryPolicy } from '../core/attempts.js';
import { resolveRetryPolicy } from '../core/attempts.js';
import { checkedController } from '../core/checked-controller.js';
import type { ConcurrencyController } from '../core/controller.js';
import {
  type AimdOptions,
  choiceOption,
  integerOption,
  numberOption,
  objectOption,
  refuseOption,
  resolveAimdOptions,
} from '../core/options.js';
import type { StatedTokens } from '../core/pacing.js';
import { type Preset, withPreset } from '../core/presets.js';
import { AbortSignals } from './abort.js';
import { admission } from './admission.js';
import { Bucket } from './bucket.js';
import type { BucketSettings, BucketSnapshot } from './bucket-settings.js';
import { type Clock, systemClock } from './clock.js';
import { type GovernorEvent, type ListenerOptions, Listeners } from './events.js';
import { type BucketLane, DECIDED, type Waiter, type Waiting } from './queued-request.js';
import { type RequestOptions, requestWithRetries } from './request.js';
import { type RequestEvent, RequestListeners } from './request-events.js';
import { type FinishedAsks, GovernedRun, type Run, type RunHost, type RunOptions } from './run.js';
import type { Key, Ticket } from './ticket.js';

/** What a governor is made with; the controller's options hold for every key. An unknown name is refused. */
export interface GovernorOptions extends Omit<AimdOptions, 'key'> {
  /**
   * The options that are not stated: `reference`, the defaults; `auto-grow`, `growthFactor` 2; `adaptive`, what was
   * measured to serve better. Default `reference`.
   */
  readonly preset?: Preset;
  /** The growth limit is at least `floor(growthFactor × initial)`. ≥ 1; default 1. */
  readonly growthFactor?: number;
  /** The longest cooldown a hint can cause, milliseconds above 0; default 900 000. When it bites, an event says so. */
  readonly maxCooldownMs?: number;
  /**
   * Which refusals freeze admission for their Retry-After: `any`, or only those that are not known to come from a
   * concurrency limit (`rate`): there a place frees as soon as any request ends. Default `any`.
   */
  readonly freezeOn?: 'any' | 'rate';
  /**
   * `headers`: admissions are spaced to the requests and tokens per minute that answers announce, or that refusals show to
   * be the wall; a refusal for a rate slows them down and leaves the cap alone. Default `off`.
   */
  readonly pacing?: 'off' | 'headers';
  /** After a cooldown the first `cap` grants are at least this far apart. Milliseconds ≥ 0; default 0, all at once. */
  readonly resumeStaggerMs?: number;
  /** Requests that may wait on one key; one more is refused with QueueFullError. Integer ≥ 1; default: no limit. */
  readonly maxQueue?: number;
  /** Of `request`, where the call states none. */
  readonly retry?: RetryPolicy;
  /**
   * Makes the controller of a key; default: the AimdController with these options. `key` is `provider/model`. What is no
   * controller is a TypeError with the first use of the key.
   */
  readonly controller?: (key: string) => ConcurrencyController;
  /** Default: the process's monotonic clock. */
  readonly clock?: Clock;
  /** [0, 1), spreads retries; default `Math.random`. */
  readonly random?: () => number;
  /** Hears what a listener or a waiter's callback threw; default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Of one request at the gate. */
export interface AcquireOptions {
  /** Whose turn it waits for; requests without a run are one run together. */
  readonly run?: Run;
  /** Leaves the queue at once and rejects with `signal.reason`. */
  readonly signal?: AbortSignal;
  /**
   * What the request may cost, for `pacing`: in all, or its prompt and the most that may come of it; default: the mean of
   * those answered so far. Numbers ≥ 0.
   */
  readonly tokens?: StatedTokens;
}

/** The gate of a process. A key that is none is a RangeError, thrown or rejected with. */
export interface Governor {
  /** A ticket at once, or undefined: no room, cooling, or someone waits on the key already. */
  tryAcquire(key: Key, options?: Pick<AcquireOptions, 'run' | 'tokens'>): Ticket | undefined;
  /** A ticket when it is this request's turn. Rejects when the signal fires, the queue is full, the run or this closes. */
  acquire(key: Key, options?: AcquireOptions): Promise<Ticket>;
  /** The synchronous form of `acquire`; `waiter.admitted` may be called before it returns. */
  enqueue(key: Key, options: AcquireOptions, waiter: Waiter): Waiting;
  /**
   * Acquires, sends, classifies, settles, and retries by the policy. When nothing is left to try, rejects with the last
   * attempt's error or a RetryHorizonError, or resolves to the Response that refused.
   */
  request<T>(key: Key, send: (ticket: Ticket) => Promise<T>, options?: RequestOptions): Promise<T>;
  /** For what must not wait behind a workflow, as the user's own conversation: never queues, never cools, is counted. */
  observer(): { acquire(key: Key): Ticket };
  /**
   * A run with a bound of its own. @throws RangeError when a run of this id is open, or the bound is not finite;
   * GovernorClosedError after `close`.
   */
  openRun(id: string, options?: RunOptions): Run;
  /** Every change, wait and stall from now on. Returns what takes the listener away. @throws RangeError for a bad option. */
  onEvent(listener: (event: GovernorEvent) => void, options?: ListenerOptions): () => void;
  /** The same for what happens to single requests: queued, admitted, settled. Costs nothing while nobody listens. */
  onRequest(listener: (event: RequestEvent) => void): () => void;
  /** A key's state now; undefined when nobody has used it, or it has been forgotten. */
  snapshot(key: Key): BucketSnapshot | undefined;
  /** Of every key that is remembered. */
  snapshots(): BucketSnapshot[];
  /** Refuses whoever waits and drops all timers; requests in flight settle as they end. */
  close(): void;
}

/** Refused because the governor was closed. */
export class GovernorClosedError extends Error {
  override readonly name = 'GovernorClosedError';
}

/** One per process: two do not know of each other. @throws RangeError naming the option, the value and what is allowed. */
export function createGovernor(options: GovernorOptions = {}): Governor {
  return new BucketGovernor(withPreset(objectOption('options', options)));
}

const NO_OPTIONS: AcquireOptions = Object.freeze({});

const OPTION_NAMES: readonly string[] = [
  ...['initial', 'growthLimit', 'decreaseFactor', 'increaseStep', 'increaseAfterSuccesses', 'floor', 'idleResetMs'],
  ...['rememberGood', 'preset', 'growthFactor', 'maxCooldownMs', 'freezeOn', 'resumeStaggerMs', 'maxQueue', 'retry'],
  ...['controller', 'clock', 'random', 'onError', 'probeBackoffMax', 'recovery', 'growth', 'pacing', 'latencySignal'],
];

function settingsOf(options: GovernorOptions): BucketSettings & { readonly initial: number } {
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.includes(name))
      throw new RangeError(`${name}: unknown option; known are ${OPTION_NAMES.join(', ')}`);
  }
  const { initial, growthLimit, idleResetMs } = resolveAimdOptions({ ...options, key: 'any' });
  const report = options.onError ?? ((error) => console.error('tidegate: a listener threw', error));
  const growthFactor = numberOption('growthFactor', options.growthFactor, 1, 'a number ≥ 1', (n) => n >= 1);
  return {
    initial,
    growthLimit: Math.max(growthLimit, Math.min(Number.MAX_SAFE_INTEGER, Math.floor(growthFactor * initial))),
    idleResetMs,
    maxCooldownMs: numberOption('maxCooldownMs', options.maxCooldownMs, 900_000, 'milliseconds above 0', (n) => n > 0),
    freezeOn: choiceOption('freezeOn', options.freezeOn, ['any', 'rate']),
    pacing: choiceOption('pacing', options.pacing, ['off', 'headers']),
    resumeStaggerMs: numberOption('resumeStaggerMs', options.resumeStaggerMs, 0, 'milliseconds ≥ 0', (n) => n >= 0),
    maxQueue:
      options.maxQueue === undefined ? Number.POSITIVE_INFINITY : integerOption('maxQueue', options.maxQueue, 1, 1),
    clock: clockOption(options.clock),
    listeners: new Listeners(report),
    requests: new RequestListeners(report),
    signals: new AbortSignals(),
  };
}

function clockOption(value: Clock | undefined): Clock {
  if (value === undefined) return systemClock;
  if (typeof value?.now !== 'function' || typeof value.schedule !== 'function') {
    refuseOption('clock', value, 'an object with now() and schedule()');
  }
  const now = value.now();
  if (!Number.isFinite(now)) refuseOption('clock.now()', now, 'finite milliseconds');
  return value;
}

class BucketGovernor implements Governor, RunHost {
  readonly #settings: ReturnType<typeof settingsOf>;
  readonly #makeController: (key: string) => ConcurrencyController;
  readonly #retry: RetryPolicy;
  readonly #random: () => number;
  readonly #providers = new Map<string, Map<string, Bucket>>();
  readonly #buckets: Bucket[] = [];
  /** Where the next look for an idle bucket begins. */
  #sweepFrom = 0;
  /** The bucket of the last call: most calls of a process are for one key. */
  #latest: Bucket | undefined;
  readonly #runs = new Map<string, GovernedRun>();
  #open = true;
  readonly #closing = new AbortController();

  constructor(options: GovernorOptions) {
    this.#settings = settingsOf(options);
    const { growthLimit } = this.#settings;
    if (options.controller !== undefined && typeof options.controller !== 'function') {
      refuseOption('controller', options.controller, 'a function from a key to a controller');
    }
    this.#makeController = options.controller ?? ((key) => new AimdController({ ...options, key, growthLimit }));
    this.#retry = resolveRetryPolicy(options.retry);
    const { random = Math.random } = options;
    if (typeof random !== 'function') refuseOption('random', random, 'a function to numbers ≥ 0 and below 1');
    this.#random = random;
  }

  get clock(): Clock {
    return this.#settings.clock;
  }

  get listeners(): Listeners {
    return this.#settings.listeners;
  }

  get signals(): AbortSignals {
    return this.#settings.signals;
  }

  get defaultBound(): number {
    return this.#settings.initial;
  }

  tryAcquire(key: Key, options?: Pick<AcquireOptions, 'run' | 'tokens'>): Ticket | undefined {
    const run = options?.run;
    if (!this.#open || (run instanceof GovernedRun && !run.open)) return undefined;
    const bucket = this.bucket(key);
    return bucket.tryAcquire(run === undefined ? bucket.commonLane : this.#laneOf(bucket, run), options);
  }

  acquire(key: Key, options: AcquireOptions = NO_OPTIONS): Promise<Ticket> {
    const ticket = this.#passing(key, options);
    // A ticket that has been looked into is known to have no `then`, which a promise would search it for.
    if (ticket !== undefined && ticket.queuedMs === 0) return Promise.resolve(ticket);
    return admission((waiter) => this.enqueue(key, options, waiter));
  }

  enqueue(key: Key, options: AcquireOptions, waiter: Waiter): Waiting {
    objectOption('options', options);
    const bucket = this.bucket(key);
    const refusal = this.#refusalOf(options);
    if (refusal !== undefined) {
      this.listeners.guard(() => waiter.refused(refusal.reason));
      return DECIDED;
    }
    const lane = options.run === undefined ? bucket.commonLane : this.#laneOf(bucket, options.run);
    return bucket.enqueue(lane, waiter, options, undefined);
  }

  async request<T>(key: Key, send: (ticket: Ticket) => Promise<T>, options: RequestOptions = {}): Promise<T> {
    const { ask, ...rest } = objectOption('options', options);
    if (ask !== undefined && typeof ask?.acquire !== 'function') refuseOption('ask', ask, 'an ask of a run');
    if (options.retry !== undefined) objectOption('retry', options.retry);
    const acquire = (): Promise<Ticket> => (ask === undefined ? this.acquire(key, rest) : ask.acquire(key, rest));
    return requestWithRetries(acquire, send, options, {
      clock: this.clock,
      signals: this.signals,
      random: this.#random,
      policy: resolveRetryPolicy({ ...this.#retry, ...options.retry }),
      provider: key.provider,
      closing: this.#closing.signal,
    });
  }

  observer(): { acquire(key: Key): Ticket } {
    return { acquire: (key) => this.bucket(key).observe() };
  }

  openRun(id: string, options: RunOptions = {}): Run {
    if (typeof id !== 'string' || id === '') refuseOption('id', id, 'a non-empty string');
    if (this.#runs.has(id)) throw new RangeError(`id: a run ${JSON.stringify(id)} is open already`);
    if (!this.#open) throw new GovernorClosedError('the governor is closed; create a new one to open runs');
    return this.#register(new GovernedRun(this, id, options, new Map()));
  }

  onEvent(listener: (event: GovernorEvent) => void, { runs = true }: ListenerOptions = {}): () => void {
    if (typeof runs !== 'boolean') refuseOption('runs', runs, 'true or false');
    return this.listeners.add(listener, runs);
  }

  onRequest(listener: (event: RequestEvent) => void): () => void {
    return this.#settings.requests.add(listener);
  }

  snapshot(key: Key): BucketSnapshot | undefined {
    return this.#providers.get(key.provider)?.get(key.model)?.snapshot();
  }

  snapshots(): BucketSnapshot[] {
    const now = this.clock.now();
    for (const bucket of [...this.#buckets]) if (bucket.isIdle(now)) this.#forget(bucket);
    return this.#buckets.map((bucket) => bucket.snapshot());
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const run of [...this.#runs.values()]) run.close();
    for (const bucket of this.#buckets) bucket.close(this.#closedError());
    this.#closing.abort(this.#closedError());
  }

  /** @throws TypeError or RangeError when the key is not one. */
  bucket(key: Key): Bucket {
    const latest = this.#latest;
    if (latest !== undefined && isOf(latest, key)) return latest;
    const bucket = this.#providers.get(key.provider)?.get(key.model) ?? this.#create(key);
    this.#latest = bucket;
    return bucket;
  }

  replace(old: GovernedRun, options: RunOptions, inherited: FinishedAsks): Run {
    return this.#register(new GovernedRun(this, this.#successorId(old.id), options, inherited));
  }

  closed(run: GovernedRun): void {
    this.#runs.delete(run.id);
  }

  /** Whoever need not wait needs no waiter either; what may have to be refused goes the long way. */
  #passing(key: Key, options: AcquireOptions): Ticket | undefined {
    const bucket = this.#latest;
    if (bucket === undefined || !isOf(bucket, key) || !this.#open) return undefined;
    if (options === NO_OPTIONS) return bucket.tryAcquire(bucket.commonLane);
    const run = options?.run;
    const isPlain = run instanceof GovernedRun && run.isOf(this) && run.open && options.signal === undefined;
    return isPlain && options.tokens === undefined ? bucket.tryAcquire(run.lane(bucket)) : undefined;
  }

  #register(run: GovernedRun): Run {
    this.#runs.set(run.id, run);
    return run;
  }

  /** `review` → `review@2` → `review@3`. */
  #successorId(id: string): string {
    const [, base = id, number = '1'] = /^(.*)@(\d+)$/.exec(id) ?? [];
    for (let next = Number(number) + 1; ; next++) {
      if (!this.#runs.has(`${base}@${next}`)) return `${base}@${next}`;
    }
  }

  #laneOf(bucket: Bucket, run: Run): BucketLane {
    if (!(run instanceof GovernedRun && run.isOf(this))) refuseOption('run', run, 'a run that this governor opened');
    return run.lane(bucket);
  }

  #refusalOf({ run, signal }: AcquireOptions): { readonly reason: unknown } | undefined {
    if (signal?.aborted) return { reason: signal.reason };
    if (!this.#open) return { reason: this.#closedError() };
    if (run instanceof GovernedRun && !run.open) return { reason: run.closedError() };
    return undefined;
  }

  #closedError(): GovernorClosedError {
    return new GovernorClosedError('the governor was closed; nothing more is admitted');
  }

  #create(key: Key): Bucket {
    const { provider, model } = checkedKey(key);
    const now = this.clock.now();
    this.#sweepTwo(now);
    const text = `${provider}/${model}`;
    const controller = checkedController(this.#makeController(text), text);
    const bucket = new Bucket({ provider, model }, controller, this.#settings, now);
    const models = this.#providers.get(provider) ?? new Map<string, Bucket>();
    this.#providers.set(provider, models.set(model, bucket));
    bucket.index = this.#buckets.length;
    this.#buckets.push(bucket);
    return bucket;
  }

  /** Each new key looks at two old ones, so that idle keys go faster than new ones come. */
  #sweepTwo(now: number): void {
    for (let i = 0; i < 2 && this.#buckets.length > 0; i++) {
      this.#sweepFrom = (this.#sweepFrom + 1) % this.#buckets.length;
      const bucket = this.#buckets[this.#sweepFrom] as Bucket;
      if (bucket.isIdle(now)) this.#forget(bucket);
    }
  }

  #forget(bucket: Bucket): void {
    const { provider, model } = bucket.key;
    const models = this.#providers.get(provider);
    models?.delete(model);
    if (models?.size === 0) this.#providers.delete(provider);
    const last = this.#buckets.pop() as Bucket;
    if (last !== bucket) {
      last.index = bucket.index;
      this.#buckets[bucket.index] = last;
    }
    if (this.#latest === bucket) this.#latest = undefined;
  }
}

function isOf({ key: own }: Bucket, key: Key): boolean {
  return own.model === key?.model && own.provider === key.provider;
}

function checkedKey(key: Key): Key {
  const { provider, model } = key;
  if (typeof provider !== 'string' || provider === '' || provider.includes('/')) {
    refuseOption('key.provider', provider, 'a non-empty string without "/"');
  }
  if (typeof model !== 'string' || model === '') refuseOption('key.model', model, 'a non-empty string');
  return key;
}
