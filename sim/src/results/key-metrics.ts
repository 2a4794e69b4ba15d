/**
 * What a trace says of one key (`provider/model`): its cap, its queue, what it had in flight, its epochs and cooldowns.
 * Counts and sums only; holds nothing per request.
 */

import type { ConcurrencyChanged, RequestSettled } from '../trace/events.js';
import { CapPath } from './cap-path.js';
import { CooldownTime } from './cooldown-time.js';
import { EpochWatch, isThrottle } from './epoch-watch.js';
import type { KeyFigures } from './summary.js';
import { TimeWeighted } from './time-weighted.js';

export class KeyMetrics {
  readonly #hasEpochs: boolean;
  readonly #initial: number | null;
  readonly #cap: TimeWeighted;
  readonly #capPath = new CapPath();
  readonly #inFlight = new TimeWeighted(0);
  readonly #queue = new TimeWeighted(0);
  readonly #epochs: EpochWatch;
  readonly #cooldown = new CooldownTime();
  #cuts = 0;
  #raises = 0;
  #idleResets = 0;

  /**
   * @param initial the cap before anything was learned; null where nothing governs.
   * @param hasEpochs whether refusals turn epochs as those of the reference do.
   */
  constructor(initial: number | null, hasEpochs: boolean) {
    this.#hasEpochs = hasEpochs;
    this.#epochs = new EpochWatch(this.#hasEpochs);
    this.#initial = initial;
    this.#cap = new TimeWeighted(initial ?? 0);
    if (initial !== null) this.#capPath.push(0, initial, 'initial');
  }

  /** Of all events below, `settledAt` is the time of the latest settlement of the run, this one included. */
  queued(t: number, settledAt: number): void {
    this.#queue.set(this.#queue.value + 1, t, settledAt);
  }

  admitted(t: number, epoch: number, settledAt: number): void {
    this.#queue.set(this.#queue.value - 1, t, settledAt);
    this.#inFlight.set(this.#inFlight.value + 1, t, settledAt);
    this.#epochs.admitted(epoch);
  }

  withdrawn(t: number, settledAt: number): void {
    this.#queue.set(this.#queue.value - 1, t, settledAt);
  }

  settled({ t, outcome, epoch, cooldownUntil }: RequestSettled, settledAt: number): void {
    this.#inFlight.set(this.#inFlight.value - 1, t, settledAt);
    if (outcome === 'throttled' && this.#epochs.throttled(epoch)) this.#cuts++;
    if (cooldownUntil !== undefined) this.#cooldown.extend(t, cooldownUntil);
  }

  capChanged({ t, previous, next, reason }: ConcurrencyChanged, settledAt: number): void {
    this.#epochs.changed(reason);
    if (reason === 'recovered') this.#raises++;
    if (reason === 'idle_reset') this.#idleResets++;
    // Where refusals turn no epoch, a cut is a cap that fell.
    if (!this.#hasEpochs && isThrottle(reason) && next < previous) this.#cuts++;
    this.#cap.set(next, t, settledAt);
    this.#capPath.push(t, next, reason);
  }

  /** @param settledAt the last settlement of the run. @param endedAt when the run stopped. */
  figures(settledAt: number, endedAt: number): KeyFigures {
    return {
      cap: this.#capFigures(settledAt),
      inFlight: { max: this.#inFlight.max, mean: this.#inFlight.mean(settledAt) },
      // One that is admitted at once is queued for no time at all: it is not a queue of one.
      queue: { max: this.#queue.maxHeld, mean: this.#queue.mean(settledAt) },
      cuts: this.#cuts,
      raises: this.#raises,
      idleResets: this.#idleResets,
      epochs: this.#epochs.current,
      cooldownMs: this.#cooldown.until(endedAt),
      capPath: this.#capPath.steps(),
    };
  }

  #capFigures(settledAt: number): KeyFigures['cap'] {
    if (this.#initial === null) return { initial: null, min: null, max: null, final: null, mean: null };
    const { min, max, value } = this.#cap;
    return { initial: this.#initial, min, max, final: value, mean: this.#cap.mean(settledAt) };
  }
}
