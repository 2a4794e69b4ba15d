/**
 * Durations as people write them: `250ms`, `1.5s`, `6m 30s`, `1h`, and a bare `0`. A bare other number is refused, for
 * nobody can tell which unit its author had in mind. Never rounds what it reads; writes to the microsecond.
 */

import { echo } from './echo.js';

export type DurationReading =
  | { readonly kind: 'duration'; readonly ms: number }
  | { readonly kind: 'problem'; readonly message: string };

const part = (unit: string): string => `(?: ?(\\d+(?:\\.\\d+)?)${unit})?`;

/** Also the pattern of the published schema: units from large to small, each at most once. */
export const durationPattern: RegExp = new RegExp(`^(?=\\d)${part('h')}${part('m(?!s)')}${part('s')}${part('ms')}$`);

/** In the order of the pattern's groups. Decimal exponents keep `1.1s` exactly 1100, where 1.1 × 1000 is not. */
const units = [
  { exponent: 3, times: 3600 },
  { exponent: 3, times: 60 },
  { exponent: 3, times: 1 },
  { exponent: 0, times: 1 },
];

const shortestMs = 0.001;

/** 114 years. Microseconds up to here are exact integers, and ten times as much still is. */
const longestMs = 1_000_000 * 3_600_000;

/** The longest text that can be meant as a duration; longer ones are not worth matching. */
const longestText = 60;

/** Reads a duration into milliseconds, or says what is wrong with it and what is allowed. Throws nothing. */
export function readDuration(value: unknown): DurationReading {
  if (value === 0 || value === '0') return { kind: 'duration', ms: 0 };
  const match = typeof value === 'string' && value.length <= longestText ? durationPattern.exec(value) : null;
  if (match === null) return { kind: 'problem', message: whatIsWrong(value) };
  const ms = units.reduce(
    (sum, unit, i) => sum + (match[i + 1] === undefined ? 0 : Number(`${match[i + 1]}e${unit.exponent}`) * unit.times),
    0,
  );
  if (ms > 0 && ms < shortestMs) {
    return { kind: 'problem', message: `${echo(value)} is less than a microsecond, the finest step of the clock` };
  }
  if (ms > longestMs) return { kind: 'problem', message: `${echo(value)} is too long; a duration is at most 1000000h` };
  return { kind: 'duration', ms };
}

function whatIsWrong(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'string') {
    const text = String(value);
    if (/^-\s?[\d.]/.test(text)) return `${echo(value)} is negative; a duration is 0 or more`;
    if (/^\d{1,30}(\.\d{1,30})?$/.test(text)) {
      return `${text} has no unit; write ${text}ms, ${text}s, ${text}m or ${text}h`;
    }
    const unit = /^[\d.]{1,30} ?([A-Za-zµ]{1,20})$/.exec(text)?.[1];
    if (unit !== undefined && !['ms', 's', 'm', 'h'].includes(unit)) {
      return `${echo(value)}: "${unit}" is no unit; the units are ms, s, m and h`;
    }
  }
  return `expected a duration with its unit (250ms, 20s, 5m, 1h), got ${echo(value)}`;
}

/**
 * Writes milliseconds as a person would: `250ms`, `1.5s`, `6m 30s`, `1h`. Rounds to the microsecond; `readDuration`
 * reads it back.
 * @throws RangeError if `ms` is negative or not finite.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`ms: expected a finite number ≥ 0, got ${ms}`);
  const us = Math.round(ms * 1000);
  if (us === 0) return '0s';
  if (us < 1_000_000) return `${us / 1000}ms`;
  const hours = Math.floor(us / 3_600_000_000);
  const minutes = Math.floor((us % 3_600_000_000) / 60_000_000);
  const seconds = (us % 60_000_000) / 1_000_000;
  const parts = [
    hours > 0 ? `${hours}h` : '',
    minutes > 0 ? `${minutes}m` : '',
    seconds > 0 ? `${plain(seconds)}s` : '',
  ];
  return parts.filter((text) => text !== '').join(' ');
}

/** Without the exponent that `String` gives to numbers below a millionth. */
function plain(seconds: number): string {
  return seconds.toFixed(6).replace(/\.?0+$/, '');
}
