import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventBytes } from '../../src/trace/event-bytes.js';
import type { TraceEvent } from '../../src/trace/events.js';

const asWritten = (fields: object): string => {
  const lines = new EventBytes();
  lines.add(fields as TraceEvent);
  return Buffer.from(lines.take()).toString('utf8');
};

const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  // Times: whole microseconds, of every size, and their neighbours.
  fc.tuple(fc.nat(), fc.nat({ max: 999 })).map(([ms, us]) => (ms * 1000 + us) / 1000),
  fc.maxSafeNat().map((us) => us / 1000),
  fc.nat().map((us) => (us / 1000) * (1 + Number.EPSILON)),
);
const value = fc.oneof(
  number,
  fc.string({ unit: 'binary' }),
  fc.constant(undefined),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue(),
);
const event = fc
  .record({ t: number, type: fc.string() })
  .chain((first) =>
    fc.dictionary(fc.string({ minLength: 1, unit: 'binary' }), value).map((more) => ({ ...first, ...more })),
  );

describe('an event as bytes', () => {
  it('is what JSON makes of it, and a line break', () => {
    fc.assert(
      fc.property(event, (one) => {
        expect(asWritten(one)).toBe(`${JSON.stringify(one)}\n`);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [0.001, '0.001'],
    [0.1, '0.1'],
    [16503.179, '16503.179'],
    [2.5, '2.5'],
    [2147483647, '2147483647'],
    [2147483648.05, '2147483648.05'],
    [99_999_999_999.999, '99999999999.999'],
    [1 / 3, '0.3333333333333333'],
    [-1.5, '-1.5'],
    [1e21, '1e+21'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
  ])('%d is written %s', (t, text) => {
    expect(asWritten({ t })).toBe(`{"t":${text}}\n`);
  });

  it('grows with what is added, and begins anew when it was taken', () => {
    const lines = new EventBytes();
    const long = { t: 1, type: 'x'.repeat(300_000) } as unknown as TraceEvent;
    lines.add(long);
    lines.add(long);
    expect(lines.size).toBe(2 * (300_000 + '{"t":1,"type":""}\n'.length));
    expect(lines.take().length).toBe(2 * 300_018);
    expect(lines.size).toBe(0);
    lines.add({ t: 2 } as unknown as TraceEvent);
    expect(Buffer.from(lines.take()).toString()).toBe('{"t":2}\n');
  });
});
