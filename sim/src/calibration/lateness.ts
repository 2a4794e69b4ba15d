/**
 * What a client cannot know of the order at a provider: its requests and its answers are on their way for a while, no two
 * of them equally long. So what is spent when a request is judged may lack what was sent just before it and may hold what
 * was sent just after it, and likewise for what ended.
 */

import type { Cost, Hypothesis } from './hypotheses.js';
import type { Steps } from './steps.js';

/** Of each attempt: by how much less, and by how much more, may be spent than the order of the client's own events says. */
export interface Doubt {
  readonly less: Float64Array;
  readonly more: Float64Array;
}

type Amount = (i: number) => number;

/** The doubts of one history; each way to count has its own. */
export class Lateness {
  /** The longest that a request and its answer are on their way; 0 = what the client sees is what the provider saw. */
  readonly lateMs: number;
  readonly #inFlight = new Map<Steps, Doubt>();
  readonly #doubts = new Map<Cost, Doubt>();

  constructor(lateMs: number) {
    this.lateMs = lateMs;
  }

  doubt(steps: Steps, { cost, refill }: Hypothesis): Doubt {
    if (refill.kind === 'in-flight') {
      return known(this.#inFlight, steps, () =>
        doubtOf(
          steps,
          () => 1,
          () => -1,
        ),
      );
    }
    return known(this.#doubts, cost, () =>
      doubtOf(
        steps,
        (i) => cost.taken(steps, i),
        (i) => (steps.isEvidence[i] === 1 ? cost.used(steps, i) - cost.taken(steps, i) : 0),
      ),
    );
  }
}

/** What is made once for each key. */
export function known<K, V>(all: Map<K, V>, key: K, make: () => V): V {
  const made = all.get(key) ?? make();
  all.set(key, made);
  return made;
}

/**
 * Of what is sent, either may come first where less than one way lies in between. What ended before something was sent has
 * ended before that came; what ends within two ways after it may have.
 *
 * @param taken when it is let in. @param ended what that changes when it ends: negative where it gives back.
 */
function doubtOf(steps: Steps, taken: Amount, ended: Amount): Doubt {
  const { order, sentMs, endMs, isRefused, lateness } = steps;
  const { lateMs } = lateness;
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
