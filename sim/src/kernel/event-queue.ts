/**
 * The pending events of a simulation: a 4-ary heap on typed arrays, ordered by (time, phase, sequence number) and by
 * nothing else. Every event knows its place in the heap, so a cancelled one leaves at once, in O(log n): what is
 * cancelled never waits for its time to come. Pushing, cancelling and popping allocate no object; memory is bounded by
 * the largest number of events that were ever pending together. The queue never runs an event and knows no clock.
 */

/** The order in which the events of one instant run. */
export const PHASE = { completion: 1, timer: 2, arrival: 3, dispatch: 4, sampling: 5 } as const;

export type Phase = 1 | 2 | 3 | 4 | 5;

declare const handleBrand: unique symbol;

/**
 * Names one scheduled event, for cancelling it. A plain number that may be kept for ever: once the event has run or was
 * cancelled, its handle fits no event any more (short of 2^29 later events in the same slot). 0 is no event's handle.
 */
export type EventHandle = number & { readonly [handleBrand]: true };

export type EventFunction = (arg: unknown) => void;

/** The event that `pop` took out: one record, overwritten by the next `pop`. Its time was `nextTimeUs`. */
export interface PoppedEvent {
  readonly depth: number;
  readonly fn: EventFunction;
  readonly arg: unknown;
}

// A handle is generation × 2^24 + slot. 2^24 events may be pending together (each costs about 60 bytes, so memory ends
// sooner); the generation has the 29 bits that a double has left.
const SLOT_LIMIT = 2 ** 24;
const GENERATION_LIMIT = 2 ** 29 - 1;

// Phase and sequence number in one double, so that one comparison settles both: 2^50 events are 35 years at a million
// a second, and 5 × 2^50 + 2^50 is still a safe integer.
const PHASE_WEIGHT = 2 ** 50;

const INITIAL_CAPACITY = 256;

const NO_SLOT = -1;

function idle(): void {}

export class EventQueue {
  #size = 0;
  #pushed = 0;
  // By heap position.
  #times = new Float64Array(INITIAL_CAPACITY);
  #ranks = new Float64Array(INITIAL_CAPACITY);
  #slots = new Int32Array(INITIAL_CAPACITY);
  // By slot. `#places` holds the heap position of a pending event; in a free slot it holds the next free slot.
  #places = new Int32Array(INITIAL_CAPACITY);
  #generations = new Uint32Array(INITIAL_CAPACITY);
  #depths = new Int32Array(INITIAL_CAPACITY);
  readonly #fns: EventFunction[] = [];
  readonly #args: unknown[] = [];
  #firstFree = NO_SLOT;
  readonly #popped: { depth: number; fn: EventFunction; arg: unknown } = { depth: 0, fn: idle, arg: undefined };

  /** How many events are pending. */
  get size(): number {
    return this.#size;
  }

  /** How many events fit before the arrays grow. */
  get capacity(): number {
    return this.#times.length;
  }

  /** Time of the next event in µs; meaningful only while `size` is above 0. */
  get nextTimeUs(): number {
    return this.#times[0] as number;
  }

  /** `depth` is a number of the caller's, from 0, that comes back with the event. Throws RangeError when 2^24 events are pending. */
  push(timeUs: number, phase: Phase, depth: number, fn: EventFunction, arg: unknown): EventHandle {
    const slot = this.#takeSlot();
    this.#depths[slot] = depth;
    this.#fns[slot] = fn;
    this.#args[slot] = arg;
    this.#pushed += 1;
    const position = this.#size;
    this.#size = position + 1;
    this.#siftUp(position, timeUs, phase * PHASE_WEIGHT + this.#pushed, slot);
    return ((this.#generations[slot] as number) * SLOT_LIMIT + slot) as EventHandle;
  }

  /** Takes the next event out. Must not be called when `size` is 0. */
  pop(): PoppedEvent {
    const slot = this.#slots[0] as number;
    const popped = this.#popped;
    popped.depth = this.#depths[slot] as number;
    popped.fn = this.#fns[slot] as EventFunction;
    popped.arg = this.#args[slot];
    this.#releaseSlot(slot);
    const last = this.#size - 1;
    this.#size = last;
    if (last > 0) {
      this.#siftDown(0, this.#times[last] as number, this.#ranks[last] as number, this.#slots[last] as number);
    }
    return popped;
  }

  /** True if the event was pending and now is not; false, without any effect, if it has run, was cancelled or never was. */
  cancel(handle: EventHandle): boolean {
    const generation = Math.floor(handle / SLOT_LIMIT);
    const slot = handle - generation * SLOT_LIMIT;
    if (generation === 0 || this.#generations[slot] !== generation) return false;
    const position = this.#places[slot] as number;
    this.#releaseSlot(slot);
    const last = this.#size - 1;
    this.#size = last;
    if (position < last) this.#reseat(position, last);
    return true;
  }

  /** Puts the event at heap position `last`, which is no longer part of the heap, where `position` has become empty. */
  #reseat(position: number, last: number): void {
    const time = this.#times[last] as number;
    const rank = this.#ranks[last] as number;
    const slot = this.#slots[last] as number;
    this.#siftUp(position, time, rank, slot);
    if (this.#places[slot] === position) this.#siftDown(position, time, rank, slot);
  }

  #siftUp(from: number, time: number, rank: number, slot: number): void {
    const times = this.#times;
    const ranks = this.#ranks;
    const slots = this.#slots;
    const places = this.#places;
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 2;
      const parentTime = times[parent] as number;
      if (parentTime < time || (parentTime === time && (ranks[parent] as number) < rank)) break;
      const parentSlot = slots[parent] as number;
      times[position] = parentTime;
      ranks[position] = ranks[parent] as number;
      slots[position] = parentSlot;
      places[parentSlot] = position;
      position = parent;
    }
    times[position] = time;
    ranks[position] = rank;
    slots[position] = slot;
    places[slot] = position;
  }

  #siftDown(from: number, time: number, rank: number, slot: number): void {
    const times = this.#times;
    const ranks = this.#ranks;
    const slots = this.#slots;
    const places = this.#places;
    const size = this.#size;
    let position = from;
    for (;;) {
      const firstChild = 4 * position + 1;
      if (firstChild >= size) break;
      const childEnd = Math.min(firstChild + 4, size);
      let least = firstChild;
      let leastTime = times[firstChild] as number;
      for (let child = firstChild + 1; child < childEnd; child += 1) {
        const childTime = times[child] as number;
        if (childTime < leastTime || (childTime === leastTime && (ranks[child] as number) < (ranks[least] as number))) {
          least = child;
          leastTime = childTime;
        }
      }
      if (time < leastTime || (time === leastTime && rank < (ranks[least] as number))) break;
      const leastSlot = slots[least] as number;
      times[position] = leastTime;
      ranks[position] = ranks[least] as number;
      slots[position] = leastSlot;
      places[leastSlot] = position;
      position = least;
    }
    times[position] = time;
    ranks[position] = rank;
    slots[position] = slot;
    places[slot] = position;
  }

  #takeSlot(): number {
    const free = this.#firstFree;
    if (free !== NO_SLOT) {
      this.#firstFree = this.#places[free] as number;
      return free;
    }
    // No slot is free, so the slots in use are 0 … size − 1.
    const slot = this.#size;
    if (slot === this.#times.length) this.#grow();
    this.#generations[slot] = 1;
    return slot;
  }

  #releaseSlot(slot: number): void {
    // What the event referred to must not outlive it.
    this.#fns[slot] = idle;
    this.#args[slot] = undefined;
    // From 1, so that handles below 2^24 name nothing.
    this.#generations[slot] = ((this.#generations[slot] as number) % GENERATION_LIMIT) + 1;
    this.#places[slot] = this.#firstFree;
    this.#firstFree = slot;
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    if (capacity > SLOT_LIMIT) {
      throw new RangeError(
        `${SLOT_LIMIT} events are pending at once, which is the limit of the event queue; start the work in smaller waves`,
      );
    }
    this.#times = enlarged(this.#times, new Float64Array(capacity));
    this.#ranks = enlarged(this.#ranks, new Float64Array(capacity));
    this.#slots = enlarged(this.#slots, new Int32Array(capacity));
    this.#places = enlarged(this.#places, new Int32Array(capacity));
    this.#generations = enlarged(this.#generations, new Uint32Array(capacity));
    this.#depths = enlarged(this.#depths, new Int32Array(capacity));
  }
}

function enlarged<A extends Float64Array | Int32Array | Uint32Array>(source: A, target: A): A {
  target.set(source);
  return target;
}
