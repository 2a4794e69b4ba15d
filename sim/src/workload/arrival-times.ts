/** When the requests of an open-loop process come. Draws nothing but gaps, each from the one stream it is given. */

import { sampler } from '../kernel/distribution.js';
import type { RandomStream } from '../kernel/random.js';
import type { ArrivalRow, ArrivalTimes } from '../scenario/scenario.js';

/** The next arrival; undefined when there is none any more. Times count from the start of the process. */
export type NextArrival = () => ArrivalRow | undefined;

export function arrivalTimes(times: ArrivalTimes, gaps: RandomStream): NextArrival {
  if (times.kind === 'trace') {
    let next = 0;
    return () => times.rows[next++];
  }
  const { kind, meanGapMs, count, forMs } = times;
  const last = count ?? Number.POSITIVE_INFINITY;
  const endMs = forMs ?? Number.POSITIVE_INFINITY;
  const gap = sampler(kind === 'poisson' ? { kind: 'exponential', mean: meanGapMs } : constant(meanGapMs));
  let number = 0;
  let randomMs = 0;
  return () => {
    number++;
    randomMs += gap(gaps);
    // Equal distances are multiplied, not added up: the thousandth is exactly where it belongs.
    const atMs = kind === 'uniform' ? number * meanGapMs : randomMs;
    return number > last || atMs > endMs ? undefined : { atMs };
  };
}

function constant(value: number) {
  return { kind: 'constant', value } as const;
}
