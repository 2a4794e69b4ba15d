/** Random numbers for tests: a stream per label, the same in every run. The generator is mulberry32 (public domain). */

import type { Luck, Random } from '../src/models/luck.js';

export function seededLuck(seed: number): Luck {
  return (label) => stream([...label].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16777619), seed));
}

function stream(start: number): Random {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}
