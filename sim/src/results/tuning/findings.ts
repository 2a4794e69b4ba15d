/**
 * What a tuning says, in plain sentences: the recommended setting with its reason and its price, what the reference loses,
 * how flat the optimum is, and which setting is the safest over all scenarios. A difference that may be noise is not called
 * one.
 */

import { counted, duration, number, percent } from '../human-numbers.js';
import { isBeyondNoise } from '../study/intervals.js';
import { difference, LARGE, SMALL } from './choice.js';
import type { SettingLosses } from './losses.js';
import type { TunedSetting, Tuning } from './tuning.js';

/** From the most important on. */
export function findings(tuning: Tuning): readonly string[] {
  const { choice } = tuning;
  if (choice === null) return ['No setting finishes every run of every scenario, so none is recommended.'];
  return [
    recommendation(tuning),
    price(tuning),
    flatness(tuning),
    ...referenceWord(tuning),
    minimaxWord(tuning),
    ...seedsWord(tuning),
  ];
}

type Chosen = Tuning & { readonly choice: NonNullable<Tuning['choice']> };

function at(tuning: Tuning, position: number): TunedSetting & { readonly losses: SettingLosses } {
  const setting = tuning.settings[position]!;
  return { ...setting, losses: setting.losses! };
}

function recommendation(tuning: Tuning): string {
  const { choice, settings } = tuning as Chosen;
  const { label } = at(tuning, choice.recommended);
  if (settings.length === 1) return `Recommended: ${label}, the only setting that was tried.`;
  const { asFast, asGentle } = choice;
  const speed =
    asFast.length === 1
      ? 'it is the fastest beyond doubt'
      : `it is one of ${number(asFast.length)} settings that cannot be told from the fastest`;
  const gentleness =
    asFast.length === 1
      ? ''
      : asGentle.length === 1
        ? ', and of these the one with the fewest refusals'
        : `, and one of ${number(asGentle.length)} of these that cannot be told from the one with the fewest refusals`;
  const last = {
    only: '',
    reference: '; it is the reference, and nothing speaks for a change',
    refusals: '; of these it was refused least',
  }[choice.decidedBy];
  return `Recommended: ${label}, for ${speed}${gentleness}${last}.`;
}

/** What the recommended setting costs, in time against the fastest and in refusals against the gentlest. */
function price(tuning: Tuning): string {
  const { choice, settings } = tuning as Chosen;
  const own = at(tuning, choice.recommended).losses;
  const [fastest, gentlest] = [at(tuning, choice.fastest), at(tuning, choice.gentlest)];
  const comparisons = settings.length - 1;
  const slower = difference(own, fastest.losses, 'time', comparisons);
  const time =
    choice.fastest === choice.recommended
      ? 'no time: none was faster'
      : slower !== null && isBeyondNoise(slower)
        ? `${percent(slower.mean)} (± ${percent(slower.halfWidth)}) of the time against ${fastest.label}`
        : `no time that can be told from noise (${percent(own.mean - fastest.losses.mean)} against ${fastest.label})`;
  const rougher = difference(own, gentlest.losses, 'refused', comparisons);
  const refusals =
    choice.gentlest === choice.recommended
      ? 'no setting is refused less'
      : rougher !== null && isBeyondNoise(rougher)
        ? `it is refused ${points(rougher.mean)} more often (± ${points(rougher.halfWidth ?? 0)}) than ${gentlest.label}, which loses ${percent(gentlest.losses.mean)} of the time`
        : 'no setting is refused less, beyond noise';
  return `It costs ${time}; of its attempts ${percent(own.refused)} are refused, and ${refusals}.`;
}

function flatness(tuning: Tuning): string {
  const { choice, settings } = tuning as Chosen;
  const whole = settings.filter(({ losses }) => losses !== null).length;
  const { asFast } = choice;
  if (whole === 1) return 'One setting alone says nothing about the others.';
  const shares = asFast.map((position) => at(tuning, position).losses.refused);
  const spread = `their refused share runs from ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;
  if (asFast.length === whole) return `Flat: in time no setting can be told from another; ${spread}.`;
  if (asFast.length >= 0.2 * whole) {
    return `The optimum is flat in time: ${number(asFast.length)} of ${number(whole)} settings cannot be told from the fastest (a difference within its interval and below ${percent(LARGE.time)}, or below ${percent(SMALL.time)}); ${spread}.`;
  }
  return `In time ${asFast.length === 1 ? 'no other setting' : `only ${counted(asFast.length - 1, 'other setting')}`} of ${number(whole)} cannot be told from the fastest, ${at(tuning, choice.fastest).label}.`;
}

function referenceWord(tuning: Tuning): readonly string[] {
  const { choice, reference, settings } = tuning as Chosen;
  if (reference === null) return ['The reference setting is not in the grid.'];
  const { label, losses } = settings[reference]!;
  if (losses === null) return [`The reference (${label}) does not finish every run.`];
  if (reference === choice.recommended) return [];
  const recommended = at(tuning, choice.recommended);
  const comparisons = settings.length - 1;
  const time = difference(losses, recommended.losses, 'time', comparisons);
  const refused = difference(losses, recommended.losses, 'refused', comparisons);
  const parts = [
    time !== null && isBeyondNoise(time)
      ? `takes ${percent(Math.abs(time.mean))} (± ${percent(time.halfWidth)}) ${time.mean > 0 ? 'more' : 'less'} time per success`
      : 'takes a time that cannot be told from it',
    refused !== null && isBeyondNoise(refused)
      ? `is refused ${points(Math.abs(refused.mean))} (± ${points(refused.halfWidth ?? 0)}) ${refused.mean > 0 ? 'more' : 'less'} often`
      : 'is refused as often, as far as can be told',
  ];
  return [`Against the recommended setting, the reference (${label}) ${parts.join(' and ')}.`];
}

function minimaxWord(tuning: Tuning): string {
  const { choice, scenarios } = tuning as Chosen;
  const safest = at(tuning, choice.minimax);
  if (scenarios.length === 1) {
    return `With one scenario the smallest regret is that of the fastest setting, ${safest.label}.`;
  }
  const worst = (losses: SettingLosses): string => scenarios[losses.byScenario.indexOf(losses.worst)]!;
  const own = at(tuning, choice.recommended).losses;
  const same = choice.minimax === choice.recommended ? ', which is the recommended one' : '';
  return `The smallest worst-case regret is that of ${safest.label}${same}: at most ${percent(safest.losses.worst)} of the time, in ${worst(safest.losses)}; the recommended setting loses at most ${percent(own.worst)}, in ${worst(own)}.`;
}

/** An interval of few samples, held against many settings at once, is wide. */
function seedsWord({ seeds, settings }: Tuning): readonly string[] {
  if (seeds >= FEW_SEEDS || settings.length === 1) return [];
  if (seeds === 1)
    return ['With 1 seed nothing is known of the noise: differences are taken as they are; --seeds 20 tells more.'];
  return [`With ${counted(seeds, 'seed')} few differences can be told from noise; --seeds 20 tells more.`];
}

const FEW_SEEDS = 8;

/** A difference of two shares. */
function points(share: number): string {
  return `${number(Number((share * 100).toPrecision(3)))} percentage points`;
}

/** How a metric's value is written. */
export function writtenMetric(value: number | null, unit: 'duration' | 'share' | 'number'): string {
  return unit === 'duration' ? duration(value) : unit === 'share' ? percent(value) : number(value);
}
