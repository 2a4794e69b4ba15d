import { describe, expect, it } from 'vitest';
import { valueAt, withValue } from '../../src/scenario/raw-data.js';

describe('data that nobody has validated', () => {
  const data = { list: [{ a: 1 }, { a: 2 }], map: { 'a.b': 3 } };

  it.each([
    [['list', 1, 'a'], 2],
    [['map', 'a.b'], 3],
    [['list', 2], undefined],
    [['list', 1, 'a', 'below'], undefined],
    // What every object has is no field of it.
    [['constructor'], undefined],
    [['list', 'length'], 2],
  ])('has at %j %j', (path, value) => {
    expect(valueAt(data, path)).toBe(value);
  });

  it('is changed in a copy, which shares the rest', () => {
    const changed = withValue(data, ['list', 0, 'b', 'c'], 9);
    expect(changed).toEqual({ list: [{ a: 1, b: { c: 9 } }, { a: 2 }], map: { 'a.b': 3 } });
    expect(valueAt(changed, ['list', 1])).toBe(data.list[1]);
    expect(data).toEqual({ list: [{ a: 1 }, { a: 2 }], map: { 'a.b': 3 } });
  });
});
