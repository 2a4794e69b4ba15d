/**
 * What is remembered of each request that is not over, by its id: a hash table with open addressing for whole numbers.
 * A run adds and removes an entry per request, and a `Map` spends more on that than a fold does on all else: it leaves a
 * hole where an entry was and is laid out anew whenever holes have filled it. Here a removal closes its gap, so that
 * memory depends on how many are open together and on nothing else.
 */

const INITIAL_CAPACITY = 64;

/** No request's id: they count from 1. */
const FREE = 0;

export class OpenRequests<V> {
  size = 0;
  /** Always a power of two, at most half of it taken. An id lies at its own last bits or, in its turn, behind. */
  #ids: Float64Array = new Float64Array(INITIAL_CAPACITY);
  #values: (V | undefined)[] = new Array(INITIAL_CAPACITY);

  get(id: number): V | undefined {
    return this.#values[this.#placeOf(id)];
  }

  set(id: number, value: V): void {
    const place = this.#placeOf(id);
    this.#values[place] = value;
    if (this.#ids[place] === id) return;
    this.#ids[place] = id;
    this.size++;
    if (this.size * 2 > this.#ids.length) this.#grow();
  }

  /** Does nothing where there is none. */
  delete(id: number): void {
    let gap = this.#placeOf(id);
    if (this.#ids[gap] === FREE) return;
    const last = this.#ids.length - 1;
    // Whoever lies behind the gap and would be looked for before or at it moves into it.
    for (let place = (gap + 1) & last; this.#ids[place] !== FREE; place = (place + 1) & last) {
      const home = this.#ids[place]! & last;
      if (((place - home) & last) < ((place - gap) & last)) continue;
      this.#ids[gap] = this.#ids[place]!;
      this.#values[gap] = this.#values[place];
      gap = place;
    }
    this.#ids[gap] = FREE;
    this.#values[gap] = undefined;
    this.size--;
  }

  /** All of them, in the order of their ids. */
  values(): readonly V[] {
    const places = Array.from(this.#ids.keys()).filter((place) => this.#ids[place] !== FREE);
    places.sort((a, b) => this.#ids[a]! - this.#ids[b]!);
    return places.map((place) => this.#values[place] as V);
  }

  /** Where the id is, or would be put. */
  #placeOf(id: number): number {
    const ids = this.#ids;
    const last = ids.length - 1;
    let place = id & last;
    while (ids[place] !== FREE && ids[place] !== id) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    this.#ids = new Float64Array(ids.length * 2);
    this.#values = new Array(ids.length * 2);
    ids.forEach((id, from) => {
      if (id === FREE) return;
      const to = this.#placeOf(id);
      this.#ids[to] = id;
      this.#values[to] = values[from];
    });
  }
}
