/** How the values of options are read: each reader takes the text and gives the value, or says what it must be. */

import { InvalidArgumentError } from 'commander';

/** @returns a reader of whole numbers in the range; it throws InvalidArgumentError naming the range. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `from ${least} to ${most}`;
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a whole number ${range}.`);
  };
}

/** @returns a reader of numbers above 0; it throws InvalidArgumentError naming the range. */
export function numberAbove0(most: number = Number.MAX_VALUE): (text: string) => number {
  const range = most === Number.MAX_VALUE ? '' : `, at most ${most}`;
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value > 0 && value <= most) return value;
    throw new InvalidArgumentError(`It is a number above 0${range}.`);
  };
}

/** Of an option that may be given again. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
