/**
 * The simulated world at the other end of a network: requests and answers are on their way for a while, no two equally
 * long, and its clock is another than the client's. What a live run sees, in virtual time.
 */

import { PHASE } from '../../src/kernel/kernel.js';
import { RandomStreams } from '../../src/kernel/random.js';
import type { Scenario } from '../../src/scenario/scenario.js';
import { simulatedWorld, type World } from '../../src/transport/world.js';

/** @param wayMs of one way, uniform between the two. */
export function distantWorld(scenario: Scenario, wayMs: readonly [low: number, high: number]): World {
  const world = simulatedWorld(scenario);
  const stream = new RandomStreams(scenario.seed).stream('ways');
  const { scheduler } = world;
  const onTheWay = (then: () => void, phase: typeof PHASE.dispatch | typeof PHASE.completion): (() => undefined) => {
    const handle = scheduler.after(wayMs[0] + stream.next() * (wayMs[1] - wayMs[0]), phase, then, undefined);
    return (): undefined => {
      scheduler.cancel(handle);
    };
  };
  return {
    ...world,
    mode: 'live',
    transport: {
      // Nobody sees a provider's own books from outside.
      ledger: () => ({}),
      send(attempt) {
        let abandon: () => number | undefined = onTheWay(() => {
          const { provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck } = attempt;
          abandon = world.transport.send({
            ...{ provider, model, inputTokens, cachedTokens, outputTokens, maxTokens, luck },
            answered: (end) => {
              abandon = onTheWay(() => attempt.answered(end), PHASE.completion);
            },
          });
        }, PHASE.dispatch);
        return () => abandon();
      },
    },
  };
}
