/**
 * Reads waits: `Retry-After` in every form that providers send, reset headers, and the waits that stand in sentences.
 *
 * Strict and whole-string: a value that is not one of the known forms is null, never a guess. Dates are parsed here and
 * not by `Date.parse`, which reads asctime dates in the local zone and takes nonsense such as `-5` for a date. Reads no
 * clock: an instant is measured against the response's own `Date` when there is one, else against `receivedAt`.
 */

/** What an instant is measured against. `date` (the response's `Date` header) wins, since a clock may be wrong. */
export interface RetryAfterReference {
  /** When the answer arrived: epoch milliseconds or an ISO instant. */
  readonly receivedAt?: number | string | undefined;
  /** The response's `Date` header, or epoch milliseconds. */
  readonly date?: number | string | undefined;
}

/** The epoch milliseconds that instants are measured against; undefined when nothing tells. */
export type Now = () => number | undefined;

const nobodyKnows: Now = () => undefined;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** No form is longer; a list that is has more members than there are hints. */
const MAX_LENGTH = 1_000;
/** With nothing to measure it against, a number that can be an epoch of this century is an unusable instant. */
const YEAR_2100_MS = 4_102_444_800_000;

/** By first letter; `ms` is told apart before. The Chinese words are second, minute, hour and day. */
const UNIT_MS: Readonly<Record<string, number>> = {
  d: DAY_MS,
  h: 3_600_000,
  m: MINUTE_MS,
  s: 1_000,
  u: 1e-3,
  µ: 1e-3,
  n: 1e-6,
  天: DAY_MS,
  小: 3_600_000,
  分: MINUTE_MS,
  秒: 1_000,
};

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const DAY_NAME = /^(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )/;
const TIME = '(\\d\\d):(\\d\\d):(\\d\\d)';
/** IMF-fixdate and RFC 850 without the day's name, and their blends (`Mon, 30-Nov-2026 …`). */
const HTTP_DATE = new RegExp(`^(\\d\\d)([ -])([A-Z]..)\\2(\\d\\d(?:\\d\\d)?) ${TIME} GMT$`);
/** asctime without the day's name. It names no zone and means UTC. */
const ASCTIME = new RegExp(`^([A-Z]..) ([ \\d]\\d) ${TIME} (\\d{4})$`);
const ISO = '(\\d{4})-(\\d\\d)-(\\d\\d)[T ](\\d\\d):(\\d\\d)(?::(\\d\\d(?:\\.\\d+)?))?';
const ZONE = ' ?(Z|(?:UTC|GMT)?(?:[+-]\\d\\d?(?::?\\d\\d)?)?)';
const ISO_INSTANT = new RegExp(`^${ISO}${ZONE}$`, 'i');
const ISO_IN_TEXT = new RegExp(`${ISO}${ZONE}`, 'i');

const NUMBER = /^\d+(?:\.\d+)?$/;
// Header bytes are read as Latin-1, where the two bytes of `µ` become `Âµ`.
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|Â?[uµn]s|[dhms]))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)\s*([^\d\s.,;()]+)/g;
/** The comma of a list of values, not the one after a date's day name. */
const LIST_COMMA = /(?<!Mon|Tue|Wed|Thu|Fri|Sat|Sun|day),/;

const SPOKEN =
  '(?:\\d+(?:\\.\\d+)?\\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|秒|分钟?|小时|天)' +
  '(?:\\(s\\))?(?![a-z])(?:,? and |,? )?){1,5}';
const WAIT_IN_TEXT = new RegExp(
  `(?:\\b(?:try|retry|reset|wait|available)\\w*(?: \\w+){0,3}? (?:in|after|for)|wait):? (?:about |at least )?(${SPOKEN})` +
    `|(${SPOKEN})之?后`,
  'i',
);
const SPEAKS_OF_RESET = /reset|retry|again|until|重置|刷新|恢复/i;

/**
 * A `Retry-After` value, or one of its relatives, as whole milliseconds rounded up; null when there is none or it
 * is unusable.
 *
 * Seconds (`3`, `0.75`; above 1e9 an epoch in seconds, above 1e12 in milliseconds), durations with units (`1m30s`,
 * `20ms`), the three HTTP dates, ISO instants with a zone; of a list, the largest. A past instant is 0. Signs, exponents,
 * hexadecimals and words are null, and so is an instant without a reference; a number that is no epoch of this
 * century is then read as seconds. At most 2⁵³ − 1; never negative, NaN or infinite. Never throws.
 */
export function parseRetryAfter(
  value: string | number | null | undefined,
  reference: RetryAfterReference = {},
): number | null {
  return parseWait(value, () => referenceMs(reference));
}

/** `parseRetryAfter` for a reference that is asked for only by an instant. */
export function parseWait(value: unknown, now: Now): number | null {
  if (typeof value === 'number') return value >= 0 && value < Number.POSITIVE_INFINITY ? fromSeconds(value, now) : null;
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return null;
  const waits = value.split(LIST_COMMA).map((member) => parseOne(member.trim(), now));
  return waits.includes(null) ? null : Math.max(...(waits as number[]));
}

/** Plain milliseconds (`retry-after-ms`, `x-amz-retry-after`): digits with an optional fraction, else null. */
export function parseMilliseconds(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && NUMBER.test(text.trim()) ? wholeMs(Number(text)) : null;
}

/** The reference as epoch milliseconds; undefined when neither field is usable. */
export function referenceMs({ receivedAt, date }: RetryAfterReference): number | undefined {
  const received = toEpochMs(receivedAt, nobodyKnows);
  return toEpochMs(date, () => received) ?? received;
}

/** The wait that stands in a sentence: "try again in 7.66s", "retry after 3 seconds", "wait 5 minutes"; else null. */
export function waitInText(text: string): number | null {
  const found = WAIT_IN_TEXT.exec(text);
  return found ? sumOfParts((found[1] ?? found[2])!) : null;
}

/**
 * The wait until an instant that stands in a sentence about a reset, else null. `zoneMinutes` is the provider's own
 * zone, east of Greenwich, for an instant that names none; without it such an instant is not used.
 */
export function instantInText(text: string, now: Now, zoneMinutes?: number): number | null {
  const found = SPEAKS_OF_RESET.test(text) ? ISO_IN_TEXT.exec(text) : null;
  const at = found && isoMs(found, zoneMinutes);
  return at === null ? null : until(at, now);
}

function parseOne(text: string, now: Now): number | null {
  if (NUMBER.test(text)) return fromSeconds(Number(text), now);
  if (DURATION.test(text)) return sumOfParts(text, true);
  const at = instantMs(text, now);
  return at === null ? null : until(at, now);
}

function fromSeconds(seconds: number, now: Now): number | null {
  const atMs = seconds > 1e12 ? seconds : seconds * 1_000;
  if (seconds > 1e9 && (now() !== undefined || atMs < YEAR_2100_MS)) return until(atMs, now);
  return wholeMs(seconds * 1_000);
}

function until(atMs: number, now: Now): number | null {
  const nowMs = now();
  return nowMs === undefined ? null : wholeMs(atMs - nowMs);
}

/** Rounded up, but not by the last bit of a product such as 2.007 × 1000; a number beyond all reason stays finite. */
function wholeMs(ms: number): number {
  return Math.max(0, Math.ceil(Math.min(ms, Number.MAX_SAFE_INTEGER) - 1e-7));
}

/** Null if `descending` and the units do not get smaller, as in `5s3s`. */
function sumOfParts(text: string, descending = false): number | null {
  let sum = 0;
  let previous = Number.POSITIVE_INFINITY;
  for (const [, amount, unit] of text.toLowerCase().matchAll(DURATION_PART)) {
    const unitMs = /^(?:ms|mil)/.test(unit!) ? 1 : UNIT_MS[unit!.replace('â', '')[0]!]!;
    if (descending && unitMs >= previous) return null;
    previous = unitMs;
    sum += Number(amount) * unitMs;
  }
  return wholeMs(sum);
}

function toEpochMs(value: unknown, now: Now): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' ? (instantMs(value.trim(), now) ?? undefined) : undefined;
}

function instantMs(text: string, now: Now): number | null {
  const iso = ISO_INSTANT.exec(text);
  if (iso) return isoMs(iso);
  if (!DAY_NAME.test(text)) return null;
  const named = text.replace(DAY_NAME, '');
  const asctime = ASCTIME.exec(named);
  if (asctime) {
    const [, month, day, hour, minute, second, year] = asctime;
    return utcMs(Number(year), monthOf(month!), day!, hour!, minute!, second!);
  }
  const [, day, , month, year, hour, minute, second] = HTTP_DATE.exec(named) ?? [];
  if (year === undefined) return null;
  return dateMs(year, (full) => utcMs(full, monthOf(month!), day!, hour!, minute!, second!), now);
}

/** A two-digit year is the next one with these digits, unless that is more than 50 years ahead: then the last one. */
function dateMs(year: string, inYear: (full: number) => number | null, now: Now): number | null {
  if (year.length === 4) return inYear(Number(year));
  const today = new Date(now() ?? Date.UTC(2_020, 0));
  const thisYear = today.getUTCFullYear();
  const next = thisYear + ((((Number(year) - thisYear) % 100) + 100) % 100);
  const at = inYear(next);
  return at !== null && at <= today.setUTCFullYear(thisYear + 50) ? at : inYear(next - 100);
}

function isoMs(m: RegExpExecArray, zoneMinutes?: number): number | null {
  const zone = m[7]!;
  const offset = /([+-])(\d\d?):?(\d\d)?$/.exec(zone);
  const minutes = offset ? Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3] ?? 0)) : 0;
  const east = zone === '' ? zoneMinutes : minutes;
  const at = utcMs(Number(m[1]), Number(m[2]), m[3]!, m[4]!, m[5]!, m[6] ?? '0');
  return at === null || east === undefined ? null : at - east * MINUTE_MS;
}

/** 1–12, or a number that no date accepts. */
function monthOf(name: string): number {
  return MONTHS.indexOf(name) / 3 + 1;
}

/** Null for what is not on the calendar (month 13, 30 February, 25 o'clock); a leap second is the next second. */
function utcMs(year: number, month: number, day: string, hour: string, minute: string, second: string): number | null {
  const midnight = new Date(Date.UTC(year, month - 1, Number(day)));
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== Number(day)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) >= 61) return null;
  return midnight.getTime() + (Number(hour) * 60 + Number(minute)) * MINUTE_MS + Number(second) * 1_000;
}
