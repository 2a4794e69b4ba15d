import { expect, it } from 'vitest';
import { sameValue } from '../src/core/same-value.js';

it.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [Number.NaN, Number.NaN, true],
  [0, -0, false],
  ['a', 'b', false],
  [null, null, true],
  [null, {}, false],
  [{}, null, false],
  [{}, 'text', false],
  ['text', {}, false],
  [undefined, null, false],
  [1, {}, false],
  [{}, 1, false],
  [true, false, false],
  [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
  [{ a: 1, b: 2 }, { a: 0, b: 2 }, false],
  [[], {}, false],
  [{}, [], false],
  [[1, [2]], [1, [2]], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [{ a: 1, b: { c: [3] } }, { b: { c: [3] }, a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [{ toString: undefined }, {}, false],
  [{ toString: Object.prototype.toString }, { a: 1 }, false],
])('%j and %j are the same: %s', (a, b, same) => {
  expect(sameValue(a, b)).toBe(same);
});
