import { describe, expect, it } from 'vitest';
import { normalCdf, normalDensity, normalQuantile } from '../../src/kernel/normal.js';

describe('the standard normal distribution', () => {
  // Both sides of each of the three branches (0.075 and exp(-25) = 1.39e-11 divide them), and both tails.
  it.each([
    [1e-300, -37.0470962993612],
    [2 ** -54, -8.292361075813595],
    [1e-12, -7.034483825301131],
    [1.3e-11, -6.66761145651074],
    [1.5e-11, -6.646570887477112],
    [0.00001, -4.2648907939228256],
    [0.074, -1.4466320671589785],
    [0.076, -1.4325027208258114],
    [0.25, -0.6744897501960817],
    [0.5, 0],
    [0.95, 1.6448536269514715],
    [0.999999, 4.753424308817089],
    [1 - 2 ** -53, 8.209536151601386],
  ])('has its quantile of %d at %d', (p, expected) => {
    expect(Math.abs(normalQuantile(p) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 4e-16);
  });

  it.each([
    [0, 0.5],
    [0.1, 0.539827837277029],
    [1, 0.8413447460685429],
    [3, 0.9986501019683699],
    [7, 0.9999999999987201],
    [8.3, 1],
    [1000, 1],
  ])('has at most %d with probability %d', (x, expected) => {
    expect(Math.abs(normalCdf(x) - expected)).toBeLessThan(1e-15);
  });

  it('has 1/√(2π) as its highest density, and 0.2420 at 1', () => {
    expect(normalDensity(0)).toBeCloseTo(0.3989422804014327, 15);
    expect(normalDensity(-1)).toBeCloseTo(0.24197072451914337, 15);
  });

  it('has a quantile that undoes its distribution function', () => {
    for (let x = 0; x <= 5; x += 0.01) expect(normalQuantile(normalCdf(x))).toBeCloseTo(x, 8);
  });
});
