/**
 * Random numbers for a simulation: one independent stream per label, each a xoroshiro128+ generator whose whole state is
 * a hash of (seed, label). A stream depends on nothing but these two, so a new consumer never shifts the numbers of the
 * others. There is no shared state and no ambient randomness here.
 */

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

export interface RandomStream {
  /** The next number: uniform in [0, 1), a multiple of 2^-53. */
  next(): number;
}

export class RandomStreams {
  readonly #seedLow: number;
  readonly #seedHigh: number;

  /** `seed`: any safe integer. Throws RangeError for anything else. */
  constructor(seed: number) {
    if (!Number.isSafeInteger(seed)) {
      throw new RangeError(`seed must be a whole number from -(2^53 - 1) to 2^53 - 1, got ${seed}`);
    }
    this.#seedLow = seed | 0;
    this.#seedHigh = Math.floor(seed / 2 ** 32) | 0;
  }

  /**
   * The stream of this label, from its first number. Nothing is remembered, so memory does not grow with the number of
   * labels; who asks twice gets the same numbers twice, and therefore keeps the stream.
   */
  stream(label: string): RandomStream {
    const generator = xoroshiro128plusFromState(hash128(this.#seedLow, this.#seedHigh, label));
    return { next: () => uniformFloat64(generator) };
  }
}

/**
 * 128 bits of (seed, label) as four 32-bit words. The loop is that of cyrb128 by bryc (public domain); after it every
 * word goes twice round the ring through the finaliser of MurmurHash3, so that each input bit reaches every output bit.
 * Every step is a bijection of the four words: two seeds, or two labels that differ in one place, cannot collide. All
 * four zero, the one state that the generator must not have, is as unlikely as any other: 2^-128.
 */
function hash128(seedLow: number, seedHigh: number, label: string): readonly number[] {
  let a = 1779033703 ^ seedLow;
  let b = 3144134277 ^ seedHigh;
  let c = 1013904242;
  let d = 2773480762;
  for (let index = 0; index < label.length; index += 1) {
    const unit = label.charCodeAt(index);
    a = b ^ Math.imul(a ^ unit, 597399067);
    b = c ^ Math.imul(b ^ unit, 2869860233);
    c = d ^ Math.imul(c ^ unit, 951274213);
    d = a ^ Math.imul(d ^ unit, 2716044179);
  }
  for (let round = 0; round < 2; round += 1) {
    a = spread(a ^ d);
    b = spread(b ^ a);
    c = spread(c ^ b);
    d = spread(d ^ c);
  }
  return [a, b, c, d];
}

/** The 32-bit finaliser of MurmurHash3 (Appleby, public domain). */
function spread(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
