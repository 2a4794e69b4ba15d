/**
 * How the numbers of an axis are chosen and written. Each function stands alone or calls only its neighbours here: the
 * HTML page carries their source and runs the same text in the browser. Never rounds a value that it is asked to write
 * exactly, and never reads a locale other than en-US.
 */

import type { Unit } from './report.js';

/** The functions that a chart needs; passed as a value, so that a chart's builder imports nothing at run time. */
export interface Ticks {
  readonly durationTicks: typeof durationTicks;
  readonly formatDuration: typeof formatDuration;
  readonly formatNumber: typeof formatNumber;
  readonly formatValue: typeof formatValue;
}

/** `ms` in days, hours, minutes and seconds, zero parts left out: `0s`, `250ms`, `1.5s`, `1m 30s`, `2h`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `−${formatDuration(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 1000) return `${Number(ms.toPrecision(6))}ms`;
  const rounded = Math.round(ms);
  const parts = [
    { amount: Math.floor(rounded / 86_400_000), unit: 'd' },
    { amount: Math.floor(rounded / 3_600_000) % 24, unit: 'h' },
    { amount: Math.floor(rounded / 60_000) % 60, unit: 'm' },
    { amount: (rounded % 60_000) / 1000, unit: 's' },
  ];
  return parts
    .filter((part) => part.amount > 0)
    .map((part) => `${part.amount}${part.unit}`)
    .join(' ');
}

/** Values within [min, max] in ms, on steps that people count time in, which make at most `atMost` (≥ 1) intervals. */
export function durationTicks(min: number, max: number, atMost: number): number[] {
  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  const steps = [1, 2, 5, 10, 15, 30].map((n) => n * second);
  steps.push(...[1, 2, 5, 10, 15, 30].map((n) => n * minute), ...[1, 2, 3, 6, 12].map((n) => n * hour));
  const wanted = (max - min) / Math.max(1, atMost);
  const unit = wanted > 12 * hour ? day : 1;
  const scaled = Math.max(wanted, 1e-9) / unit;
  const magnitude = 10 ** Math.floor(Math.log10(scaled));
  const decimal = [1, 2, 5, 10].map((n) => n * magnitude).find((n) => n >= scaled)! * unit;
  const isClockwork = wanted > second / 2 && wanted <= 12 * hour;
  const step = isClockwork ? steps.find((candidate) => candidate >= wanted)! : decimal;
  const ticks: number[] = [];
  for (let n = Math.ceil(min / step); n * step <= max; n++) ticks.push(n * step);
  return ticks;
}

/** Grouped thousands without decimals, at most two decimals below (three below 1); from a million on in compact form, `1.25M`. */
export function formatNumber(value: number): string {
  if (value < 0) return `−${formatNumber(-value)}`;
  if (value >= 1e6) return value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 2 });
  if (value > 0 && value < 0.001) return value.toLocaleString('en-US', { maximumSignificantDigits: 2 });
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 3 : value < 1000 ? 2 : 0 });
}

/** A value with its unit; of a duration and of a share the three digits that matter. */
export function formatValue(value: number, unit: Unit): string {
  if (value < 0) return `−${formatValue(-value, unit)}`;
  if (unit === 'number') return formatNumber(value);
  const rounded = Number(value.toPrecision(3));
  return unit === 'duration' ? formatDuration(rounded) : `${Number((rounded * 100).toPrecision(3))} %`;
}

export const ticks: Ticks = { durationTicks, formatDuration, formatNumber, formatValue };

/** The source of the functions above, to be run as a classic script; defines `ticks`. */
export function tickSource(): string {
  return (
    [durationTicks, formatDuration, formatNumber, formatValue].map(String).join('\n') +
    '\nconst ticks = { durationTicks, formatDuration, formatNumber, formatValue };'
  );
}
