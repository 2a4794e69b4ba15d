/**
 * The lines of a trace as bytes: what `JSON.stringify` makes of each event, to the byte, and a line break, in a third of the
 * time. Most of a trace are a few names again and again, times in whole microseconds, and whole numbers; those three are
 * written here, digit by digit and without a string between, all else is left to JSON.
 */

import type { TraceEvent } from './events.js';

/** More distinct texts than that are not names. */
const MOST_NAMES = 10_000;

/** Below it a thousandth has at most 15 digits, and the shortest decimal that a double prints as is that thousandth. */
const MOST_MS = 1e12;

const BRACE = 0x7b;
const POINT = 0x2e;
const ZERO = 0x30;
const END = encoded('}\n');

/** No number written here has more digits. */
const MOST_DIGITS = 20;

export class EventBytes {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(131_072);
  #size = 0;
  /** In quotes. */
  readonly #texts = new Map<string, Uint8Array>();
  /** What comes before the value of a field: a comma, its name in quotes, a colon. */
  readonly #leads = new Map<string, Uint8Array>();

  /** How many there are since the last `take`. */
  get size(): number {
    return this.#size;
  }

  /** Adds the line of an event. */
  add(event: TraceEvent): void {
    const fields = event as unknown as Readonly<Record<string, unknown>>;
    const start = this.#size;
    for (const name in fields) {
      const value = fields[name];
      if (value === undefined) continue;
      this.#copy(this.#leads.get(name) ?? this.#newLead(name));
      if (typeof value === 'number') this.#number(value);
      else if (typeof value === 'string') this.#copy(this.#texts.get(value) ?? this.#newText(value));
      else this.#copy(encoded(JSON.stringify(value)));
    }
    this.#copy(END);
    // Each field begins with the comma that parts it from the one before; the first has none.
    this.#bytes[start] = BRACE;
  }

  /** What has been added since the last time; good until the next event is added. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#size);
    this.#size = 0;
    return taken;
  }

  #newText(text: string): Uint8Array {
    const quoted = encoded(JSON.stringify(text));
    if (this.#texts.size >= MOST_NAMES) this.#texts.clear();
    this.#texts.set(text, quoted);
    return quoted;
  }

  #newLead(name: string): Uint8Array {
    const lead = encoded(`,${JSON.stringify(name)}:`);
    this.#leads.set(name, lead);
    return lead;
  }

  #number(value: number): void {
    if (value >= 0 && value < MOST_MS) {
      const whole = Math.floor(value);
      const us = Math.round(value * 1000);
      if (us / 1000 === value) {
        this.#whole(whole);
        if (whole !== value) this.#thousandths(us - whole * 1000);
        return;
      }
    }
    this.#copy(encoded(JSON.stringify(value)));
  }

  #whole(value: number): void {
    this.#makeRoom(MOST_DIGITS);
    const bytes = this.#bytes;
    let digits = 1;
    for (let bound = 10; bound <= value; bound *= 10) digits++;
    let place = this.#size + digits - 1;
    let left = value;
    // Above 31 bits a division of whole numbers is one of doubles.
    for (; left > 0x7fffffff; place--) {
      const tenth = Math.floor(left / 10);
      bytes[place] = ZERO + left - tenth * 10;
      left = tenth;
    }
    for (let small = left | 0; place >= this.#size; place--) {
      const tenth = (small / 10) | 0;
      bytes[place] = ZERO + small - tenth * 10;
      small = tenth;
    }
    this.#size += digits;
  }

  /** 1 to 999 of them, after the point, without closing zeros. */
  #thousandths(us: number): void {
    this.#byte(POINT);
    const tenths = (us / 100) | 0;
    this.#byte(ZERO + tenths);
    const rest = us - tenths * 100;
    if (rest === 0) return;
    const hundredths = (rest / 10) | 0;
    this.#byte(ZERO + hundredths);
    const last = rest - hundredths * 10;
    if (last !== 0) this.#byte(ZERO + last);
  }

  #byte(byte: number): void {
    if (this.#size === this.#bytes.length) this.#makeRoom(1);
    this.#bytes[this.#size++] = byte;
  }

  #copy(source: Uint8Array): void {
    this.#makeRoom(source.length);
    const bytes = this.#bytes;
    let to = this.#size;
    // A name is short: to call `set` would take longer.
    if (source.length > 64) bytes.set(source, to);
    else for (let from = 0; from < source.length; from++) bytes[to + from] = source[from]!;
    to += source.length;
    this.#size = to;
  }

  #makeRoom(more: number): void {
    const needed = this.#size + more;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}

function encoded(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}
