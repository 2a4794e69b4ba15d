import { expect, it } from 'vitest';
import { percent } from '../../src/results/human-numbers.js';

it.each([
  [0.1116, '11.2 %'],
  [0, '0 %'],
  [1, '100 %'],
  [0.0000123, '0.00123 %'],
  [1e-7, '0.00001 %'],
  [-0.0115, '−1.15 %'],
  // What is left of an interval around a constant.
  [1.49e-12, '0 %'],
  [-1.49e-12, '0 %'],
  [null, '–'],
])('a share of %s reads %s', (share, text) => {
  expect(percent(share)).toBe(text);
});
