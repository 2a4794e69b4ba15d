import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../src/core/retry-after.js';

const receivedAt = '2026-11-30T12:00:00.000Z';
const receivedMs = Date.UTC(2026, 10, 30, 12);

describe('a value that needs no clock', () => {
  const rows: readonly (readonly [value: string | number | null | undefined, ms: number | null])[] = [
    // Seconds: whole, with a fraction, with whitespace around.
    ['3', 3_000],
    ['61', 61_000],
    ['0', 0],
    ['00', 0],
    ['0.75', 750],
    ['7.66', 7_660],
    ['33011.382867', 33_011_383],
    ['  9  ', 9_000],
    ['\t9', 9_000],
    [3, 3_000],
    [0.5, 500],
    [0, 0],
    [-0, 0],
    // Rounded up to a millisecond, but not by the last bit of a product.
    ['0.0001', 1],
    ['2.007', 2_007],
    ['1.1', 1_100],
    ['2.01', 2_010],
    ['4.35', 4_350],
    ['34.074824224', 34_075],
    // Durations with units, as Go prints them.
    ['20ms', 20],
    ['6ms', 6],
    ['500ms', 500],
    ['7.66s', 7_660],
    ['1m30s', 90_000],
    ['6m0s', 360_000],
    ['2m59.56s', 179_560],
    ['1m0.052s', 60_052],
    ['1h2m3.5s', 3_723_500],
    ['10h17m5.7s', 37_025_700],
    ['1d', 86_400_000],
    ['500µs', 1],
    ['500us', 1],
    ['500Âµs', 1],
    ['2500µs', 3],
    ['12.5ms', 13],
    ['0s', 0],
    // A list of two header lines: the larger.
    ['5, 10', 10_000],
    ['10,5', 10_000],
    ['5s, 1m', 60_000],
    // Nothing, or nothing usable.
    [null, null],
    [undefined, null],
    ['', null],
    [' ', null],
    ['soon', null],
    ['-5', null],
    ['-1', null],
    ['+5', null],
    ['1e3', null],
    ['1E3', null],
    ['0x10', null],
    ['NaN', null],
    ['Infinity', null],
    ['1.', null],
    ['.5', null],
    ['1.2.3', null],
    ['1,5,', null],
    ['5, soon', null],
    ['soon, 5', null],
    ['5 10', null],
    ['30 seconds', null],
    ['5s3s', null],
    ['3s1m', null],
    ['5m5m', null],
    ['1m30', null],
    ['-1m30s', null],
    ['1 m', null],
    ['s', null],
    ['٥', null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [-1, null],
    // Beyond all reason, and still a finite number.
    ['2147484', 2_147_484_000],
    ['5000000', 5_000_000_000],
    ['1000000000', 1_000_000_000_000],
    ['9999999999', 9_999_999_999_000],
    ['1000000000000', 1_000_000_000_000_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    [1e300, Number.MAX_SAFE_INTEGER],
  ];

  it.each(rows)('%j is %j ms', (value, ms) => {
    expect(parseRetryAfter(value)).toBe(ms);
  });
});

describe('an instant', () => {
  const rows: readonly (readonly [value: string, ms: number | null])[] = [
    // The three HTTP dates, 45 s ahead; asctime names no zone and means UTC.
    ['Mon, 30 Nov 2026 12:00:45 GMT', 45_000],
    ['Monday, 30-Nov-26 12:00:45 GMT', 45_000],
    ['Mon Nov 30 12:00:45 2026', 45_000],
    ['Tue Dec  1 00:00:00 2026', 43_200_000],
    ['Wednesday, 02-Dec-26 12:00:00 GMT', 172_800_000],
    ['Sun, 28 Feb 2027 12:00:00 GMT', 90 * 86_400_000],
    // A two-digit year is at most 50 years ahead: 76 may be 2076 until this day of the year.
    ['Monday, 30-Nov-76 12:00:00 GMT', 1_577_923_200_000],
    ['Tuesday, 01-Dec-76 12:00:00 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    // The past is 0; the last second of the calendar is far and finite.
    ['Mon, 30 Nov 2026 11:59:00 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 251_606_260_799_000],
    ['Thu, 31 Dec 2099 23:59:59 GMT', 2_306_404_799_000],
    // A leap second is the next second.
    ['Mon, 30 Nov 2026 12:00:60 GMT', 60_000],
    // Two dates in one list.
    ['Mon, 30 Nov 2026 12:00:45 GMT, Mon, 30 Nov 2026 12:00:50 GMT', 50_000],
    ['5, Mon, 30 Nov 2026 12:00:45 GMT', 45_000],
    // ISO instants with a zone.
    ['2026-11-30T12:00:20Z', 20_000],
    ['2026-11-30t12:00:20z', 20_000],
    ['2026-11-30T12:00:20.0005Z', 20_001],
    ['2026-11-30T12:00Z', 0],
    ['2026-11-30T07:01:00-05:00', 60_000],
    ['2026-11-30T20:01:00+0800', 60_000],
    ['2026-11-30 12:00:41 UTC', 41_000],
    ['2026-11-30T11:59:59Z', 0],
    // Epochs, in seconds and in milliseconds.
    ['1796040060', 60_000],
    ['1796040060.5', 60_500],
    ['1796040024000', 24_000],
    ['1796036400', 0],
    // Not on the calendar, not of the grammar, or of no zone.
    ['Mon, 31 Nov 2026 12:00:45 GMT', null],
    ['Mon, 30 Nov 2026 24:00:00 GMT', null],
    ['Mon, 30 Nov 2026 12:60:00 GMT', null],
    ['Mon, 30 Nov 2026 12:00:61 GMT', null],
    ['Mon, 30 Nov 2026 12:00:45', null],
    ['Mon, 30 Nov 2026 12:00:45 PST', null],
    ['Mon, 30 anF 2026 12:00:45 GMT', null],
    ['Mon, 30-Nov 2026 12:00:45 GMT', null],
    ['Xyz, 30 Nov 2026 12:00:45 GMT', null],
    ['30 Nov 2026 12:00:45 GMT', null],
    ['Mon Nov 31 12:00:45 2026', null],
    ['2026-11-30T12:00:20', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-02-30T00:00:00Z', null],
    ['2026-11-30', null],
    ['tomorrow', null],
  ];

  it.each(rows)('%s is %j ms after the receipt', (value, ms) => {
    expect(parseRetryAfter(value, { receivedAt })).toBe(ms);
    expect(parseRetryAfter(value, { receivedAt: receivedMs })).toBe(ms);
  });

  it('is measured against the response’s own date, whatever the client’s clock says', () => {
    const value = 'Mon, 30 Nov 2026 12:00:30 GMT';
    const date = 'Mon, 30 Nov 2026 12:00:00 GMT';
    expect(parseRetryAfter(value, { date, receivedAt: '2026-11-30T11:00:00Z' })).toBe(30_000);
    expect(parseRetryAfter(value, { date })).toBe(30_000);
    expect(parseRetryAfter(value, { date: receivedMs })).toBe(30_000);
    expect(parseRetryAfter('Monday, 30-Nov-26 12:00:30 GMT', { date: 'Monday, 30-Nov-26 12:00:00 GMT' })).toBe(30_000);
    expect(parseRetryAfter(value, { date: 'nonsense', receivedAt })).toBe(30_000);
  });

  it('is unusable without anything to measure it against', () => {
    for (const value of ['Mon, 30 Nov 2026 12:00:45 GMT', '2026-11-30T12:00:20Z', '1796040060', '1796040024000']) {
      expect(parseRetryAfter(value)).toBeNull();
      expect(parseRetryAfter(value, { date: 'nonsense', receivedAt: Number.NaN })).toBeNull();
    }
  });

  it('does not depend on the zone of the machine', () => {
    const zone = process.env.TZ;
    try {
      for (const there of ['America/New_York', 'Asia/Shanghai']) {
        process.env.TZ = there;
        expect(parseRetryAfter('Mon Nov 30 12:00:45 2026', { receivedAt })).toBe(45_000);
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});

describe('properties', () => {
  it('any text gives null or a whole number of milliseconds that is neither negative nor beyond 2⁵³ − 1', () => {
    const pieces = fc.constantFrom(
      '1',
      '59',
      '.',
      ',',
      ' ',
      '-',
      'e',
      's',
      'm',
      'h',
      'ms',
      'GMT',
      'Mon',
      ':',
      'T',
      'Z',
      '9'.repeat(30),
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    );
    const references = fc.record({
      receivedAt: fc.oneof(fc.double(), fc.string()),
      date: fc.oneof(fc.double(), fc.string()),
    });
    fc.assert(
      fc.property(fc.oneof(texts, fc.double()), references, (value, reference) => {
        const ms = parseRetryAfter(value, reference);
        expect(ms === null || (Number.isSafeInteger(ms) && ms >= 0 && !Object.is(ms, -0))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a wait is never shorter than the one that was printed, and less than a millisecond longer', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.nat(59), fc.nat(59_999_999), (hours, minutes, microseconds) => {
        const seconds = (microseconds / 1e6).toFixed(6);
        const exact = hours * 3_600_000 + minutes * 60_000 + microseconds / 1_000;
        expect(parseRetryAfter(`${hours}h${minutes}m${seconds}s`)).toBe(Math.ceil(Number(exact.toFixed(3))));
      }),
    );
  });

  it('all three HTTP dates and ISO say the same', () => {
    const instants = fc.integer({ min: receivedMs / 1_000, max: Date.UTC(2070, 0) / 1_000 });
    fc.assert(
      fc.property(instants, (epochSeconds) => {
        const at = new Date(epochSeconds * 1_000);
        const imf = at.toUTCString();
        const [day, date, month, year, time] = imf.replace(',', '').split(' ') as [
          string,
          string,
          string,
          string,
          string,
        ];
        const long = {
          Mon: 'Monday',
          Tue: 'Tuesday',
          Wed: 'Wednesday',
          Thu: 'Thursday',
          Fri: 'Friday',
          Sat: 'Saturday',
          Sun: 'Sunday',
        };
        const forms = [
          imf,
          `${long[day as keyof typeof long]}, ${date}-${month}-${year.slice(2)} ${time} GMT`,
          `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
          at.toISOString(),
        ];
        for (const form of forms) expect(parseRetryAfter(form, { receivedAt })).toBe(at.getTime() - receivedMs);
      }),
    );
  });

  it('a very long value is read or refused at once', () => {
    const values = ['1'.repeat(1e6), '1,'.repeat(5e5), '1s'.repeat(5e5), ' '.repeat(1e6), 'Mon, '.repeat(2e5)];
    for (const value of values) expect(parseRetryAfter(value, { receivedAt })).toBeNull();
  });
});
