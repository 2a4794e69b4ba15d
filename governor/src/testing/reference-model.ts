/**
 * The reference law said naively: a list of what happened, and every number recomputed from that list whenever somebody
 * asks. Slow and plain on purpose, so that it can be checked by reading; the controllers are checked against it. It
 * shares no state and no arithmetic with `AimdController`.
 */

import type {
  CapChange,
  CapChangeReason,
  ConcurrencyController,
  ControllerSnapshot,
  ThrottleReason,
} from '../core/controller.js';
import { InvariantError } from '../core/invariant.js';
import { type AimdOptions, type ResolvedAimdOptions, resolveAimdOptions } from '../core/options.js';

type Entry =
  | { readonly what: 'admitted' | 'failed' | 'ended'; readonly at: number }
  | { readonly what: 'succeeded'; readonly at: number; readonly isCurrent: boolean }
  | { readonly what: 'throttled'; readonly at: number; readonly waitMs: number }
  /** K successes under one cap. */
  | { readonly what: 'proved'; readonly level: number }
  | { readonly what: 'cut'; readonly from: number; readonly cap: number; readonly disproves: boolean }
  | { readonly what: 'raised' | 'lowered' | 'seeded' | 'forgot'; readonly cap: number };

type What = Entry['what'];

const SETTLEMENTS: readonly What[] = ['succeeded', 'throttled', 'failed', 'ended'];
const NEW_EPOCH: readonly What[] = ['cut', 'lowered', 'seeded', 'forgot'];
const NEW_CAP: readonly What[] = [...NEW_EPOCH, 'raised'];
const BREAKS_STREAK: readonly What[] = ['throttled', 'failed', 'raised', 'lowered', 'seeded', 'forgot'];

/** The reference law recomputed from its history at every call: slow, plain, and independent of `AimdController`. */
export class ReferenceModel implements ConcurrencyController {
  readonly #options: ResolvedAimdOptions;
  readonly #history: Entry[] = [];
  #growthLimit: number;
  #waiters = 0;

  constructor(options: AimdOptions) {
    this.#options = resolveAimdOptions(options);
    this.#growthLimit = this.#options.growthLimit;
  }

  canAdmit(now: number): boolean {
    return this.#inFlight() < this.#cap() && now >= this.#cooldownUntil();
  }

  observed(now: number): readonly CapChange[] {
    const { initial, idleResetMs } = this.#options;
    const last = this.#latest(['admitted', ...SETTLEMENTS]);
    const isIdle =
      last !== undefined &&
      'at' in last &&
      now - last.at >= idleResetMs &&
      this.#inFlight() === 0 &&
      now >= this.#cooldownUntil();
    if (!isIdle || this.#isClean()) return [];
    const previous = this.#cap();
    this.#history.push({ what: 'forgot', cap: initial });
    return previous === initial ? [] : [this.#change(previous, 'idle_reset')];
  }

  admitted(now: number): number {
    this.#history.push({ what: 'admitted', at: now });
    return this.#epoch();
  }

  succeeded(now: number, epoch: number): readonly CapChange[] {
    this.#mustBeInFlight();
    const isCurrent = epoch === this.#epoch();
    this.#history.push({ what: 'succeeded', at: now, isCurrent });
    if (!isCurrent || this.#streak() < this.#options.increaseAfterSuccesses) return [];
    const previous = this.#cap();
    this.#history.push({ what: 'proved', level: previous });
    if (this.#waiters === 0 || previous >= this.#growthLimit) return [];
    this.#history.push({ what: 'raised', cap: Math.min(previous + this.#options.increaseStep, this.#growthLimit) });
    return [this.#change(previous, 'recovered')];
  }

  throttled(now: number, epoch: number, reason: ThrottleReason, retryAfterMs = 0): readonly CapChange[] {
    this.#mustBeInFlight();
    const isCurrent = epoch === this.#epoch();
    this.#history.push({ what: 'throttled', at: now, waitMs: retryAfterMs });
    if (!isCurrent) return [];
    const from = this.#cap();
    const proven = this.#lastGood();
    const isFailedProbe = proven !== undefined && from > proven;
    const { floor, decreaseFactor } = this.#options;
    const cap = isFailedProbe ? proven : Math.max(floor, Math.floor(from * decreaseFactor));
    this.#history.push({ what: 'cut', from, cap, disproves: !isFailedProbe });
    if (cap === from && !(retryAfterMs > 0)) return [];
    return [{ ...this.#change(from, reason), ...(retryAfterMs > 0 ? { cooldownMs: retryAfterMs } : {}) }];
  }

  failed(now: number): readonly CapChange[] {
    this.#mustBeInFlight();
    this.#history.push({ what: 'failed', at: now });
    return [];
  }

  ended(now: number): readonly CapChange[] {
    this.#mustBeInFlight();
    this.#history.push({ what: 'ended', at: now });
    return [];
  }

  waiting(now: number, count: number): readonly CapChange[] {
    const changes = this.observed(now);
    this.#waiters = count;
    return changes;
  }

  setGrowthLimit(now: number, limit: number): readonly CapChange[] {
    const changes = this.observed(now);
    this.#growthLimit = Math.max(Math.floor(limit), this.#options.initial);
    const previous = this.#cap();
    if (previous <= this.#growthLimit) return changes;
    this.#history.push({ what: 'lowered', cap: this.#growthLimit });
    return [...changes, this.#change(previous, 'limit_lowered')];
  }

  seed(now: number, target: number): readonly CapChange[] {
    const changes = this.observed(now);
    const previous = this.#cap();
    const cap = Math.min(Math.floor(target), this.#growthLimit);
    const throttledAt = this.#lastThrottledAt();
    const refusedLately = throttledAt !== undefined && now - throttledAt < this.#options.idleResetMs;
    if (cap <= previous || refusedLately) return changes;
    this.#history.push({ what: 'seeded', cap });
    return [...changes, this.#change(previous, 'seeded')];
  }

  snapshot(): ControllerSnapshot {
    const last = this.#latest(['admitted', ...SETTLEMENTS]);
    return {
      key: this.#options.key,
      initial: this.#options.initial,
      growthLimit: this.#growthLimit,
      cap: this.#cap(),
      epoch: this.#epoch(),
      inFlight: this.#inFlight(),
      waiters: this.#waiters,
      successStreak: this.#streak(),
      ...omitUnset({
        cooldownUntil: this.#waits().length === 0 ? undefined : this.#cooldownUntil(),
        lastRequestAt: last !== undefined && 'at' in last ? last.at : undefined,
        lastGood: this.#lastGood(),
        lastBad: this.#lastBad(),
        lastThrottledAt: this.#lastThrottledAt(),
      }),
    };
  }

  #mustBeInFlight(): void {
    if (this.#inFlight() === 0) throw new InvariantError('the model settled a request with nothing in flight');
  }

  #inFlight(): number {
    return this.#count(['admitted']) - this.#count(SETTLEMENTS);
  }

  #epoch(): number {
    return this.#count(NEW_EPOCH);
  }

  #cap(): number {
    const last = this.#latest(NEW_CAP);
    return last !== undefined && 'cap' in last ? last.cap : this.#options.initial;
  }

  /** Current-epoch successes since whatever last broke the row. */
  #streak(): number {
    return this.#since(BREAKS_STREAK).filter((e) => e.what === 'succeeded' && e.isCurrent).length;
  }

  /** Ends of the waits that providers asked for since everything was last forgotten. */
  #waits(): readonly number[] {
    return this.#since(['forgot']).flatMap((e) => (e.what === 'throttled' && e.waitMs > 0 ? [e.at + e.waitMs] : []));
  }

  #cooldownUntil(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#waits());
  }

  #lastThrottledAt(): number | undefined {
    return this.#since(['forgot'])
      .flatMap((e) => (e.what === 'throttled' ? [e.at] : []))
      .at(-1);
  }

  #lastBad(): number | undefined {
    return this.#since(['forgot', 'seeded'])
      .flatMap((e) => (e.what === 'cut' ? [e.from] : []))
      .at(-1);
  }

  #lastGood(): number | undefined {
    let proven: number | undefined;
    for (const entry of this.#since(['forgot', 'seeded'])) {
      if (entry.what === 'proved' && this.#options.rememberGood) proven = Math.max(entry.level, proven ?? 0);
      if (entry.what === 'cut' && entry.disproves) proven = undefined;
      if (entry.what === 'lowered' && proven !== undefined) proven = Math.min(entry.cap, proven);
    }
    return proven;
  }

  /** Nothing is known that a reset could forget. */
  #isClean(): boolean {
    const { cap, initial, successStreak, cooldownUntil, lastGood, lastBad, lastThrottledAt } = this.snapshot();
    const facts = [cooldownUntil, lastGood, lastBad, lastThrottledAt];
    return cap === initial && successStreak === 0 && facts.every((fact) => fact === undefined);
  }

  #change(previous: number, reason: CapChangeReason): CapChange {
    return {
      key: this.#options.key,
      previous,
      next: this.#cap(),
      reason,
      ...omitUnset({ lastGood: this.#lastGood(), lastBad: this.#lastBad() }),
    };
  }

  #count(whats: readonly What[]): number {
    return this.#history.filter(({ what }) => whats.includes(what)).length;
  }

  #latest(whats: readonly What[]): Entry | undefined {
    return this.#history.findLast(({ what }) => whats.includes(what));
  }

  /** What came after the last of these. */
  #since(whats: readonly What[]): readonly Entry[] {
    return this.#history.slice(this.#history.findLastIndex(({ what }) => whats.includes(what)) + 1);
  }
}

type Present<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

function omitUnset<T extends Readonly<Record<string, number | undefined>>>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
