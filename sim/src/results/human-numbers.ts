/** Numbers as people like to read them: three digits that matter, with their unit. Never used where a number is compared. */

import { formatNumber } from '@tidegate/reports';
import { formatDuration } from '../scenario/duration.js';

export const NO_VALUE = '–';

/** `6m 12s`, `1.25s`, `50ms`: three digits below a minute, whole seconds above. */
export function duration(ms: number | null): string {
  if (ms === null) return NO_VALUE;
  return formatDuration(ms < 60_000 ? Number(ms.toPrecision(3)) : Math.round(ms / 1000) * 1000);
}

/** A share of 1 in percent: `11.2 %`. Less than a millionth of one is a rounding error, and written as none. */
export function percent(share: number | null): string {
  if (share === null) return NO_VALUE;
  if (share <= -1e-8) return `−${percent(-share)}`;
  return share < 1e-8 ? '0 %' : `${Number((share * 100).toPrecision(3))} %`;
}

export function number(value: number | null): string {
  return value === null ? NO_VALUE : formatNumber(value);
}

/** `1 request`, `4 requests`. */
export function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}
