/**
 * Durations and instants in the spellings of the providers. Pure text: reads no clock, knows no header.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * As Go prints a duration, to the millisecond, rounded up: `0s`, `644ms`, `9.816s`, `7m12s`, `1h0m3.5s`.
 *
 * @param ms finite, ≥ 0.
 */
export function goDuration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole === 0) return '0s';
  if (whole < SECOND_MS) return `${whole}ms`;
  const seconds = `${(whole % MINUTE_MS) / SECOND_MS}s`;
  if (whole < MINUTE_MS) return seconds;
  const minutes = `${Math.floor((whole % HOUR_MS) / MINUTE_MS)}m${seconds}`;
  return whole < HOUR_MS ? minutes : `${Math.floor(whole / HOUR_MS)}h${minutes}`;
}

/** `10`: whole seconds, rounded up. */
export function wholeSeconds(ms: number): string {
  return String(Math.ceil(ms / SECOND_MS));
}

/** `9.816`: seconds to the microsecond, without an exponent or trailing zeros. */
export function decimalSeconds(ms: number): string {
  return withoutZeros((ms / SECOND_MS).toFixed(6));
}

/** `9816`, `12.5`: milliseconds to the microsecond. */
export function decimalMs(ms: number): string {
  return withoutZeros(ms.toFixed(3));
}

/** `2026-11-30T12:00:42Z`: RFC 3339, rounded up to whole seconds, as Anthropic writes it. */
export function rfc3339(epochMs: number): string {
  return `${new Date(upToSecond(epochMs)).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-30 12:00:41 UTC`, rounded up. */
export function spokenUtc(epochMs: number): string {
  return `${new Date(upToSecond(epochMs)).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `Mon, 30 Nov 2026 12:00:45 GMT`: IMF-fixdate of RFC 9110 §5.6.7; cut down to whole seconds. */
export function httpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString();
}

function upToSecond(epochMs: number): number {
  return Math.ceil(epochMs / SECOND_MS) * SECOND_MS;
}

function withoutZeros(fixed: string): string {
  return fixed.replace(/\.?0+$/, '');
}
