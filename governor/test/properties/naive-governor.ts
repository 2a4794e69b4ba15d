/**
 * The governor said naively, for comparison: arrays that are searched, sets that are recomputed, no timers. Each key has
 * a reference model for a controller, one array of everybody who waits and one that says whose turn it is. It has the
 * same shape as the real one where the scripts of `governor-script.ts` use it, and time passes only in `pass`.
 */

import type { CapChange, ThrottleReason } from '../../src/core/controller.js';
import type { BucketSnapshot } from '../../src/gate/bucket-settings.js';
import type { GovernorEvent } from '../../src/gate/events.js';
import type { Waiter, Waiting } from '../../src/gate/queued-request.js';
import type { Key } from '../../src/gate/ticket.js';
import { ReferenceModel } from '../../src/testing/reference-model.js';

export interface NaiveOptions {
  readonly initial: number;
  readonly floor: number;
  readonly decreaseFactor: number;
  readonly increaseAfterSuccesses: number;
  readonly idleResetMs: number;
  readonly rememberGood: boolean;
  readonly growthFactor: number;
  readonly maxCooldownMs: number;
  readonly resumeStaggerMs: number;
  readonly maxQueue?: number;
}

const STALL_MS = 20 * 60_000;

class Refused extends Error {
  constructor(name: string) {
    super(name);
    this.name = name;
  }
}

interface Request {
  readonly bucket: Bucket;
  readonly run: NaiveRun | undefined;
  readonly waiter: Waiter;
  readonly signal: AbortSignal | undefined;
  readonly askedAt: number;
  isWaiting: boolean;
}

interface Bucket {
  readonly key: Key;
  readonly text: string;
  readonly controller: ReferenceModel;
  /** Everybody who waits, in order of arrival. */
  waiting: Request[];
  /** Whose turn it is: runs with waiters, the next to be served first. `undefined` are those without a run. */
  turns: (NaiveRun | undefined)[];
  inFlight: NaiveTicket[];
  isGranting: boolean;
  /** In the middle of a call that tells listeners of a change and goes on afterwards. */
  isTelling: boolean;
  /** When somebody will look whether those who wait may go on; while nobody waits, nobody looks. */
  alarmAt: number | undefined;
  /** When a cooldown ends whose resumption is to be staggered. */
  resumeAt: number | undefined;
  /** Of a resumption under way: grants still to be spaced, and when the next may go out. */
  spaced: { readonly left: number; readonly nextAt: number } | undefined;
}

export class NaiveTicket {
  settled = false;
  readonly #governor: NaiveGovernor;
  readonly bucket: Bucket;
  readonly naiveRun: NaiveRun | undefined;
  readonly epoch: number;
  readonly queuedMs: number;
  readonly admittedAt: number;
  readonly successCounts: boolean;

  constructor(
    governor: NaiveGovernor,
    bucket: Bucket,
    run: NaiveRun | undefined,
    facts: { readonly epoch: number; readonly queuedMs: number; readonly at: number; readonly successCounts: boolean },
  ) {
    this.#governor = governor;
    this.bucket = bucket;
    this.naiveRun = run;
    this.epoch = facts.epoch;
    this.queuedMs = facts.queuedMs;
    this.admittedAt = facts.at;
    this.successCounts = facts.successCounts;
  }

  get key(): Key {
    return this.bucket.key;
  }

  get run(): string | undefined {
    return this.naiveRun?.id;
  }

  succeed(): void {
    this.#once(() => this.#governor.succeeded(this));
  }

  throttle(refusal: { reason?: ThrottleReason; retryAfterMs?: number } = {}): void {
    this.#once(() => this.#governor.throttled(this, refusal.reason ?? 'rate_limited', refusal.retryAfterMs));
  }

  fail(): void {
    this.#once(() => this.#governor.failed(this));
  }

  end(): void {
    this.#once(() => this.#governor.ended(this));
  }

  release(): void {
    if (!this.settled) this.end();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** The outcome table, for answers without a body of an unknown provider. */
  settle({ status = 0, headers = {} }: { status?: number; headers?: Record<string, string> }): unknown {
    const seconds = headers['retry-after'];
    const hint = seconds === undefined ? {} : { retryAfterMs: Number(seconds) * 1_000 };
    if (status === 200) this.succeed();
    else if (status === 429) this.throttle({ reason: 'rate_limited', ...hint });
    else if (status === 503) this.throttle({ reason: 'provider_overloaded', ...hint });
    else if (status === 500) this.fail();
    else this.end();
    return undefined;
  }

  #once(settle: () => void): void {
    if (this.settled) {
      this.#governor.tell({ type: 'settled-twice', at: this.#governor.now, key: this.bucket.text });
      return;
    }
    this.settled = true;
    settle();
  }
}

export class NaiveRun {
  readonly #governor: NaiveGovernor;
  readonly id: string;
  readonly #settings: unknown;
  /** null = the default bound. */
  stated: number | null;
  open = true;
  /** Keys it has asked for, until it leaves them. */
  keys: Bucket[] = [];
  troubleSince: number | undefined;
  isStallTold = false;

  constructor(governor: NaiveGovernor, id: string, stated: number | null, settings: unknown) {
    this.#governor = governor;
    this.id = id;
    this.stated = stated;
    this.#settings = settings;
  }

  get bound(): number {
    return this.stated ?? this.#governor.options.initial;
  }

  amend(change: { maxConcurrency?: number | null; settings?: unknown }): unknown {
    if (!this.open) return { kind: 'refused', reason: 'closed' };
    const stated = change.maxConcurrency === undefined ? this.stated : boundOf(change.maxConcurrency);
    const settings = change.settings ?? this.#settings;
    if (stated === this.stated && settings === this.#settings) return { kind: 'refused', reason: 'unchanged' };
    if (settings !== this.#settings) {
      this.#governor.closeRun(this, true);
      return { kind: 'successor', run: this.#governor.addRun(successorOf(this.id), stated, settings) };
    }
    const previous = this.bound;
    this.stated = stated;
    this.#governor.tell({
      type: 'run-caps-changed',
      at: this.#governor.now,
      run: this.id,
      previous,
      bound: this.bound,
    });
    for (const bucket of this.keys) this.#governor.boundsChanged(bucket);
    return { kind: 'retuned', previous, bound: this.bound };
  }

  close(): void {
    this.#governor.closeRun(this, false);
  }
}

export class NaiveGovernor {
  readonly options: NaiveOptions;
  now = 0;
  readonly #report: (error: unknown) => void;
  #buckets: Bucket[] = [];
  #runs: NaiveRun[] = [];
  #requests: Request[] = [];
  readonly #listeners: ((event: GovernorEvent) => void)[] = [];
  #open = true;

  constructor(options: NaiveOptions, onError: (error: unknown) => void) {
    this.options = options;
    this.#report = onError;
  }

  tryAcquire(key: Key, { run }: { run?: NaiveRun | undefined } = {}): NaiveTicket | undefined {
    if (!this.#open || isClosed(run)) return undefined;
    const bucket = this.#bucket(key);
    this.#joins(run, bucket);
    this.#observe(bucket);
    if (isClosed(run) || bucket.waiting.length > 0 || !this.#mayAdmit(bucket)) return undefined;
    return this.#admit(bucket, run, 0, true);
  }

  acquire(key: Key, options: { run?: NaiveRun; signal?: AbortSignal } = {}): Promise<NaiveTicket> {
    return new Promise((resolve, reject) => {
      this.enqueue(key, options, { admitted: resolve as never, refused: reject });
    });
  }

  enqueue(
    key: Key,
    { run, signal }: { run?: NaiveRun | undefined; signal?: AbortSignal | undefined },
    waiter: Waiter,
  ): Waiting {
    const bucket = this.#bucket(key);
    const refuse = (reason: unknown): Waiting => {
      this.#guard(() => waiter.refused(reason));
      return { cancel() {} };
    };
    const refusal = (): { readonly reason: unknown } | undefined => {
      if (signal?.aborted) return { reason: signal.reason };
      if (!this.#open) return { reason: new Refused('GovernorClosedError') };
      return isClosed(run) ? { reason: new Refused('RunClosedError') } : undefined;
    };
    const early = refusal();
    if (early !== undefined) return refuse(early.reason);
    this.#joins(run, bucket);
    this.#observe(bucket);
    // Whoever heard of a change just now may have aborted the request or closed its run.
    const late = refusal();
    if (late !== undefined) return refuse(late.reason);
    if (bucket.waiting.length === 0 && !bucket.isGranting && this.#mayAdmit(bucket)) {
      this.#hand(bucket, waiter, this.#admit(bucket, run, 0, true));
      this.#drain(bucket);
      return { cancel() {} };
    }
    const { maxQueue = Number.POSITIVE_INFINITY } = this.options;
    if (bucket.waiting.length >= maxQueue) return refuse(new Refused('QueueFullError'));
    const request: Request = { bucket, run, waiter, signal, askedAt: this.now, isWaiting: true };
    bucket.waiting.push(request);
    if (!bucket.turns.includes(run)) bucket.turns.push(run);
    this.#requests.push(request);
    this.#tellWaiting(bucket);
    this.#setAlarm(bucket);
    return {
      cancel: (reason: unknown = new DOMException('cancelled', 'AbortError')) => {
        this.#refuse(request.isWaiting ? [request] : [], reason);
      },
    };
  }

  observer(): { acquire(key: Key): NaiveTicket } {
    return {
      acquire: (key) => {
        const bucket = this.#bucket(key);
        this.#observe(bucket);
        return this.#issue(bucket, undefined, 0, bucket.controller.canAdmit(this.now));
      },
    };
  }

  openRun(id: string, { maxConcurrency }: { maxConcurrency?: number | null } = {}): NaiveRun {
    return this.addRun(id, boundOf(maxConcurrency ?? null), null);
  }

  onEvent(listener: (event: GovernorEvent) => void): void {
    this.#listeners.push(listener);
  }

  snapshot(key: Key): BucketSnapshot | undefined {
    const bucket = this.#find(key);
    if (bucket === undefined) return undefined;
    const [oldest] = bucket.inFlight;
    return {
      ...bucket.controller.snapshot(),
      queue: bucket.waiting.length,
      ...(oldest === undefined
        ? {}
        : {
            oldestInFlight: { since: oldest.admittedAt, ...(oldest.run === undefined ? {} : { run: oldest.run }) },
          }),
    };
  }

  snapshots(): unknown {
    for (const { key } of [...this.#buckets]) this.forgetIfIdle(key);
    return this.#buckets.map(({ key }) => this.snapshot(key));
  }

  close(): void {
    this.#open = false;
    for (const run of this.#runs) this.closeRun(run, false);
    for (const bucket of this.#buckets) {
      const byTurn = bucket.turns.flatMap((run) => bucket.waiting.filter((request) => request.run === run));
      this.#refuse(byTurn, new Refused('GovernorClosedError'));
    }
  }

  /** Idle keys may be forgotten whenever a key is created: which of them is not said. */
  forgetIfIdle(key: Key): void {
    const bucket = this.#find(key);
    if (bucket === undefined) return;
    const { lastRequestAt = Number.NEGATIVE_INFINITY } = bucket.controller.snapshot();
    const isUsed = this.#runs.some((run) => run.keys.includes(bucket));
    const isBusy = bucket.inFlight.length > 0 || bucket.waiting.length > 0 || bucket.isTelling;
    const isCooling = this.now < this.#cooldownUntil(bucket);
    if (isUsed || isBusy || isCooling || this.now - lastRequestAt < this.options.idleResetMs) return;
    this.#buckets = this.#buckets.filter((other) => other !== bucket);
  }

  /** Lets time pass, waking whoever may go on at its very instant, or now if that was missed. */
  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const alarms = this.#buckets.map(({ alarmAt = Number.POSITIVE_INFINITY }) => alarmAt);
      const earliest = Math.min(...alarms);
      if (!(earliest <= end)) break;
      const bucket = this.#buckets[alarms.indexOf(earliest)] as Bucket;
      this.now = Math.max(this.now, earliest);
      bucket.alarmAt = undefined;
      this.#drain(bucket);
    }
    this.now = end;
  }

  /** Time passes and everybody is too busy to look at it. */
  jump(ms: number): void {
    this.now += ms;
  }

  /** Keys at which somebody waits for an instant to come. */
  get timers(): number {
    return this.#buckets.filter(({ alarmAt }) => alarmAt !== undefined).length;
  }

  /** The signal has just fired. */
  abort(signal: AbortSignal): void {
    this.#refuse(
      this.#requests.filter((request) => request.isWaiting && request.signal === signal),
      signal.reason,
    );
  }

  addRun(id: string, stated: number | null, settings: unknown): NaiveRun {
    const run = new NaiveRun(this, id, stated, settings);
    this.#runs.push(run);
    return run;
  }

  closeRun(run: NaiveRun, endTickets: boolean): void {
    if (!run.open) return;
    run.open = false;
    this.#refuse(
      run.keys.flatMap((bucket) => bucket.waiting.filter((request) => request.run === run)),
      new Refused('RunClosedError'),
    );
    for (const bucket of run.keys) {
      if (endTickets) for (const ticket of bucket.inFlight.filter((t) => t.naiveRun === run)) ticket.end();
      run.keys = run.keys.filter((other) => other !== bucket);
      this.boundsChanged(bucket);
    }
  }

  succeeded(ticket: NaiveTicket): void {
    const { controller } = ticket.bucket;
    if (ticket.naiveRun !== undefined) {
      ticket.naiveRun.troubleSince = undefined;
      ticket.naiveRun.isStallTold = false;
    }
    this.#settled(
      ticket,
      ticket.successCounts ? controller.succeeded(this.now, ticket.epoch) : controller.ended(this.now),
    );
  }

  throttled(ticket: NaiveTicket, reason: ThrottleReason, askedMs: number | undefined): void {
    const { bucket } = ticket;
    const { maxCooldownMs } = this.options;
    const waitMs = askedMs === undefined ? undefined : Math.min(askedMs, maxCooldownMs);
    const before = this.#cooldownUntil(bucket);
    const changes = bucket.controller.throttled(this.now, ticket.epoch, reason, waitMs);
    const after = this.#cooldownUntil(bucket);
    if (after > before && this.options.resumeStaggerMs > 0) bucket.resumeAt = after;
    this.#settled(ticket, changes);
    if (askedMs !== undefined && askedMs > maxCooldownMs) {
      this.tell({ type: 'cooldown-clamped', at: this.now, key: bucket.text, askedMs, maxCooldownMs });
    }
    this.#hindered(ticket.naiveRun);
  }

  failed(ticket: NaiveTicket): void {
    this.#settled(ticket, ticket.bucket.controller.failed(this.now));
    this.#hindered(ticket.naiveRun);
  }

  ended(ticket: NaiveTicket): void {
    this.#settled(ticket, ticket.bucket.controller.ended(this.now));
  }

  boundsChanged(bucket: Bucket): void {
    const { initial, growthFactor } = this.options;
    const users = this.#runs.filter((run) => run.keys.includes(bucket));
    const hearing = users.filter((run) => run.open);
    const bounds = users.map((run) => run.bound);
    const limit = Math.max(Math.floor(growthFactor * initial), ...bounds);
    this.#notify(bucket, bucket.controller.setGrowthLimit(this.now, limit), hearing);
    const stated = users.flatMap((run) => (run.stated === null ? [] : [run.stated]));
    if (stated.length > 0) this.#notify(bucket, bucket.controller.seed(this.now, Math.max(...stated)), hearing);
    this.#drain(bucket);
  }

  tell(event: GovernorEvent): void {
    for (const listener of this.#listeners) this.#guard(() => listener(event));
  }

  #find({ provider, model }: Key): Bucket | undefined {
    return this.#buckets.find(({ key }) => key.provider === provider && key.model === model);
  }

  #bucket(key: Key): Bucket {
    const found = this.#find(key);
    if (found !== undefined) return found;
    const { initial, growthFactor, ...rest } = this.options;
    const text = `${key.provider}/${key.model}`;
    const bucket: Bucket = {
      key,
      text,
      controller: new ReferenceModel({
        ...rest,
        key: text,
        initial,
        growthLimit: Math.floor(growthFactor * initial),
      }),
      waiting: [],
      turns: [],
      inFlight: [],
      isGranting: false,
      isTelling: false,
      alarmAt: undefined,
      resumeAt: undefined,
      spaced: undefined,
    };
    this.#buckets.push(bucket);
    return bucket;
  }

  #joins(run: NaiveRun | undefined, bucket: Bucket): void {
    if (run === undefined || run.keys.includes(bucket)) return;
    run.keys.push(bucket);
    this.boundsChanged(bucket);
  }

  #cooldownUntil({ controller }: Bucket): number {
    return controller.snapshot().cooldownUntil ?? Number.NEGATIVE_INFINITY;
  }

  #setAlarm(bucket: Bucket): void {
    const at = Math.max(this.#cooldownUntil(bucket), bucket.spaced?.nextAt ?? Number.NEGATIVE_INFINITY);
    if (bucket.waiting.length === 0) bucket.alarmAt = undefined;
    else if (at > this.now) bucket.alarmAt = at;
  }

  #observe(bucket: Bucket): void {
    this.#notify(bucket, bucket.controller.observed(this.now), this.#engaged(bucket));
  }

  #tellWaiting(bucket: Bucket): void {
    const count = bucket.spaced === undefined ? bucket.waiting.length : 0;
    this.#notify(bucket, bucket.controller.waiting(this.now, count), this.#engaged(bucket));
  }

  /** Open runs with a request in flight or queued on the key. */
  #engaged(bucket: Bucket): readonly NaiveRun[] {
    const those = [...bucket.inFlight.map((t) => t.naiveRun), ...bucket.waiting.map((r) => r.run)];
    return this.#runs.filter((run) => run.open && those.includes(run));
  }

  #notify(bucket: Bucket, changes: readonly CapChange[], hearing: readonly NaiveRun[]): void {
    const wasTelling = bucket.isTelling;
    bucket.isTelling = true;
    for (const change of changes) {
      const runs = hearing.map((run) => run.id);
      this.tell({ type: 'concurrency-changed', at: this.now, ...change, key: bucket.text, runs });
    }
    bucket.isTelling = wasTelling;
  }

  #mayAdmit(bucket: Bucket): boolean {
    if (!bucket.controller.canAdmit(this.now)) return false;
    if (bucket.resumeAt !== undefined && this.now >= bucket.resumeAt) {
      bucket.spaced = { left: bucket.controller.snapshot().cap, nextAt: bucket.resumeAt };
      bucket.resumeAt = undefined;
      this.#tellWaiting(bucket);
    }
    return bucket.spaced === undefined || this.now >= bucket.spaced.nextAt;
  }

  #admit(bucket: Bucket, run: NaiveRun | undefined, queuedMs: number, successCounts: boolean): NaiveTicket {
    const ticket = this.#issue(bucket, run, queuedMs, successCounts);
    if (bucket.spaced !== undefined) {
      const left = bucket.spaced.left - 1;
      bucket.spaced = left === 0 ? undefined : { left, nextAt: this.now + this.options.resumeStaggerMs };
      if (left === 0) this.#tellWaiting(bucket);
    }
    return ticket;
  }

  #issue(bucket: Bucket, run: NaiveRun | undefined, queuedMs: number, successCounts: boolean): NaiveTicket {
    const epoch = bucket.controller.admitted(this.now);
    const ticket = new NaiveTicket(this, bucket, run, { epoch, queuedMs, at: this.now, successCounts });
    bucket.inFlight.push(ticket);
    return ticket;
  }

  #drain(bucket: Bucket): void {
    if (bucket.isGranting) return;
    this.#letThrough(bucket);
    this.#setAlarm(bucket);
  }

  #letThrough(bucket: Bucket): void {
    while (bucket.waiting.length > 0) {
      this.#observe(bucket);
      // Whoever was told of a reset may have let everybody through, or taken them away.
      if (bucket.waiting.length === 0 || !this.#mayAdmit(bucket)) return;
      const run = bucket.turns[0];
      const request = bucket.waiting.find((r) => r.run === run) as Request;
      this.#takeOut(request);
      if (bucket.turns.includes(run)) bucket.turns = [...bucket.turns.slice(1), run];
      const ticket = this.#admit(bucket, run, this.now - request.askedAt, true);
      this.#tellWaiting(bucket);
      this.#hand(bucket, request.waiter, ticket);
    }
  }

  #hand(bucket: Bucket, waiter: Waiter, ticket: NaiveTicket): void {
    bucket.isGranting = true;
    try {
      waiter.admitted(ticket as never);
    } catch (error) {
      ticket.release();
      this.#report(error);
    }
    bucket.isGranting = false;
  }

  #takeOut(request: Request): void {
    const { bucket, run } = request;
    request.isWaiting = false;
    bucket.waiting = bucket.waiting.filter((other) => other !== request);
    if (bucket.waiting.every((other) => other.run !== run)) bucket.turns = bucket.turns.filter((turn) => turn !== run);
  }

  /** They all leave; then they are told one by one, and after each whoever is left may go on. */
  #refuse(requests: readonly Request[], reason: unknown): void {
    for (const request of requests) this.#takeOut(request);
    for (const { bucket, waiter } of requests) {
      this.#tellWaiting(bucket);
      this.#guard(() => waiter.refused(reason));
      this.#drain(bucket);
    }
  }

  #settled(ticket: NaiveTicket, changes: readonly CapChange[]): void {
    const { bucket } = ticket;
    const hearing = this.#engaged(bucket);
    bucket.inFlight = bucket.inFlight.filter((other) => other !== ticket);
    this.#notify(bucket, changes, hearing);
    this.#drain(bucket);
  }

  #hindered(run: NaiveRun | undefined): void {
    if (run === undefined || !run.open) return;
    run.troubleSince ??= this.now;
    const stalledMs = this.now - run.troubleSince;
    if (run.isStallTold || stalledMs < STALL_MS) return;
    run.isStallTold = true;
    this.tell({ type: 'run-stalled', at: this.now, run: run.id, stalledMs });
  }

  #guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#report(error);
    }
  }
}

function isClosed(run: NaiveRun | undefined): boolean {
  return run !== undefined && !run.open;
}

function boundOf(maxConcurrency: number | null): number | null {
  return maxConcurrency === null ? null : Math.max(1, Math.floor(maxConcurrency));
}

function successorOf(id: string): string {
  const [base, number = '1'] = id.split('@');
  return `${base}@${Number(number) + 1}`;
}
