/**
 * Requests that come by themselves, whatever became of those before them: each a logical request of its own, retried by
 * the policy of its governor, without a run, a seat or a bound. Where it queues is its door: the gate, or past it.
 */

import type { Governor } from '@tidegate/governor';
import { PHASE } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { ArrivalRow, ArrivalsSettings } from '../scenario/scenario.js';
import { arrivalTimes, type NextArrival } from './arrival-times.js';
import { type Asker, type Door, ModelRequest } from './model-request.js';
import { OwnLuck } from './own-luck.js';
import { drawSizes, type SizePlan, sizePlan } from './request-sizes.js';
import type { RequestContext } from './run-context.js';

/** A request at the gate that belongs to no run. */
export function gateDoor(governor: Governor): Door {
  return { enqueue: (key, options, waiter) => governor.enqueue(key, options, waiter), backingOff() {} };
}

/** A request that never queues: it has its ticket at once. */
export function observerDoor(governor: Governor): Door {
  const observer = governor.observer();
  return {
    enqueue(key, _, waiter) {
      waiter.admitted(observer.acquire(key));
      return { cancel() {} };
    },
    backingOff() {},
  };
}

export class OpenLoop {
  readonly #context: RequestContext;
  readonly #door: Door;
  readonly #id: string;
  readonly #startMs: number;
  readonly #next: NextArrival;
  readonly #plan: SizePlan;
  readonly #sizes: RandomStream;
  readonly #finished: () => void;
  #arrived = 0;
  #open = 0;
  #exhausted = false;

  /** @param finished called once, when all have come and all are over. */
  constructor(context: RequestContext, settings: ArrivalsSettings, door: Door, finished: () => void) {
    const { id, startMs, times, tokens } = settings;
    this.#context = context;
    this.#door = door;
    this.#id = id;
    this.#startMs = startMs;
    this.#next = arrivalTimes(times, context.streams.stream(`arrivals/${id}/gaps`));
    this.#plan = sizePlan(tokens);
    this.#sizes = context.streams.stream(`arrivals/${id}/sizes`);
    this.#finished = finished;
  }

  /** Schedules the next one to come. */
  schedule(): void {
    const row = this.#next();
    if (row === undefined) {
      this.#exhausted = true;
      this.#finishWhenOver();
      return;
    }
    const { scheduler } = this.#context;
    scheduler.after(Math.max(0, this.#startMs + row.atMs - scheduler.now()), PHASE.arrival, arrive, {
      loop: this,
      row,
    });
  }

  arrive(row: ArrivalRow): void {
    const { streams } = this.#context;
    this.#arrived++;
    this.#open++;
    const sizes = drawSizes(this.#plan, this.#sizes, row);
    const asker = new Arrival(this.#id, new OwnLuck(streams, `arrivals/${this.#id}/${this.#arrived}`), this.#over);
    new ModelRequest(this.#context, asker, this.#door, sizes).queue();
    this.schedule();
  }

  readonly #over = (): void => {
    this.#open--;
    this.#finishWhenOver();
  };

  #finishWhenOver(): void {
    if (this.#exhausted && this.#open === 0) this.#finished();
  }
}

class Arrival implements Asker {
  readonly name: string;
  readonly luck: OwnLuck;
  readonly #over: () => void;

  constructor(name: string, luck: OwnLuck, over: () => void) {
    this.name = name;
    this.luck = luck;
    this.#over = over;
  }

  get jitter(): RandomStream {
    return this.luck.jitter;
  }

  answered(): void {
    this.#over();
  }
}

function arrive({ loop, row }: { readonly loop: OpenLoop; readonly row: ArrivalRow }): void {
  loop.arrive(row);
}
