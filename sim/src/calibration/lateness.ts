/**
 * What a client cannot know of the order at a provider: its requests and its answers are on their way for a while, no two
 * of them equally long. So what is spent when a request is judged may lack what was sent just before it and may hold what
 * was sent just after it, and likewise for what ended.
 */

import type { Doubt, Steps } from './steps.js';

type Amount = (i: number) => number;

/**
 * Of what is sent, either may come first where less than one way lies in between. What ended before something was sent has
 * ended before that came; what ends within two ways after it may have.
 *
 * @param taken when it is let in. @param ended what that changes when it ends: negative where it gives back.
 */
export function doubtOf(steps: Steps, taken: Amount, ended: Amount): Doubt {
  const { order, sentMs, endMs, isRefused, lateMs } = steps;
  const wayMs = lateMs / 2;
  const less = new Float64Array(sentMs.length);
  const more = new Float64Array(sentMs.length);
  const add = (step: number, change: number): void => {
    if (change < 0) less[step] = (less[step] as number) - change;
    else more[step] = (more[step] as number) + change;
  };
  for (let at = 0; at < order.length; at++) {
    const step = order[at] as number;
    if (step < 0) continue;
    const t = sentMs[step] as number;
    for (let before = at - 1; before >= 0; before--) {
      const other = order[before] as number;
      if (((other < 0 ? endMs[~other] : sentMs[other]) as number) < t - wayMs) break;
      if (other >= 0 && isRefused[other] === 0) add(step, -taken(other));
    }
    for (let after = at + 1; after < order.length; after++) {
      const other = order[after] as number;
      const i = other < 0 ? ~other : other;
      const afterMs = ((other < 0 ? endMs[i] : sentMs[i]) as number) - t;
      if (afterMs > lateMs) break;
      if (isRefused[i] === 1 || i === step) continue;
      if (other < 0) add(step, ended(i));
      else if (afterMs <= wayMs) add(step, taken(i));
    }
  }
  return { less, more };
}
