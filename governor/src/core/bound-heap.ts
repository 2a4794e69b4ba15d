/**
 * The bounds of the runs that use a key, as a max-heap whose entries know their place: the largest is there at once,
 * adding, changing and removing one costs O(log runs).
 */

export class BoundEntry {
  bound: number;
  /** Place in the heap; −1 while outside. */
  index = -1;

  constructor(bound: number) {
    this.bound = bound;
  }
}

export class BoundHeap {
  readonly #entries: BoundEntry[] = [];

  /** The largest bound, or undefined when no run uses the key. */
  get max(): number | undefined {
    return this.#entries[0]?.bound;
  }

  /** Adds the entry, or finds its new place after its bound changed. */
  put(entry: BoundEntry): void {
    if (entry.index === -1) {
      entry.index = this.#entries.length;
      this.#entries.push(entry);
    }
    this.#settle(entry);
  }

  /** Does nothing when the entry is not in the heap. */
  remove(entry: BoundEntry): void {
    if (entry.index === -1) return;
    const last = this.#entries.pop() as BoundEntry;
    if (last !== entry) {
      this.#place(last, entry.index);
      this.#settle(last);
    }
    entry.index = -1;
  }

  #settle(entry: BoundEntry): void {
    let parent = this.#entries[(entry.index - 1) >> 1];
    while (entry.index > 0 && parent !== undefined && parent.bound < entry.bound) {
      this.#swap(parent, entry);
      parent = this.#entries[(entry.index - 1) >> 1];
    }
    for (let larger = this.#largerChild(entry); larger !== undefined; larger = this.#largerChild(entry)) {
      this.#swap(entry, larger);
    }
  }

  /** The larger of the entry's children, if it is larger than the entry. */
  #largerChild(entry: BoundEntry): BoundEntry | undefined {
    const left = this.#entries[2 * entry.index + 1];
    const right = this.#entries[2 * entry.index + 2];
    const larger = right !== undefined && left !== undefined && right.bound > left.bound ? right : left;
    return larger !== undefined && larger.bound > entry.bound ? larger : undefined;
  }

  #swap(a: BoundEntry, b: BoundEntry): void {
    const indexOfA = a.index;
    this.#place(a, b.index);
    this.#place(b, indexOfA);
  }

  #place(entry: BoundEntry, index: number): void {
    this.#entries[index] = entry;
    entry.index = index;
  }
}
