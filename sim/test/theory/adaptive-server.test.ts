/**
 * The eight scenarios of the adaptive-concurrency test server, each with the setting of our governor that meets most of its
 * bounds. What is listed is not met, for the reasons that `docs/validation.md` gives; every other bound is.
 */

import { describe, expect, it } from 'vitest';
import { CASES, eventsOf, type Figures, figuresOf, type ServerCase, scenarioOf } from './adaptive-server.js';

/** By scenario: options beside where the cap starts and may climb to, and the bounds that are not met, with what came. */
const OURS: Readonly<Record<string, { readonly options: string; readonly unmet: Readonly<Record<string, number>> }>> = {
  'constant-link': {
    options: 'increaseAfterSuccesses: 6',
    unmet: {
      'stats.in_flight.max': 69,
      'controller.in_flight.max': 69,
      'controller.concurrency_limit.max': 72,
    },
  },
  'defers-at-high-concurrency': { options: 'increaseAfterSuccesses: 16', unmet: { 'stats.rate.max': 57 } },
  'drops-at-high-concurrency': {
    options: 'increaseAfterSuccesses: 18',
    unmet: {
      'stats.rate.max': 71,
      'stats.rate.mean': 41,
      'controller.in_flight.mode': 1,
      'controller.concurrency_limit.mean': 9.613,
      'controller.concurrency_limit.mode': 15,
    },
  },
  'fixed-concurrency-jitter': { options: '', unmet: {} },
  'fixed-concurrency-simple': { options: '', unmet: { 'stats.rate.max': 110, 'stats.rate.mean': 99 } },
  'medium-send': {
    options: '',
    unmet: {
      'stats.in_flight.max': 10,
      'stats.in_flight.mean': 3.976,
      'controller.in_flight.max': 10,
      'controller.in_flight.mean': 3.976,
      'controller.concurrency_limit.max': 11,
    },
  },
  'slow-link': {
    options: 'latencySignal: true',
    unmet: { 'stats.in_flight.mode': 1, 'controller.in_flight.mode': 1, 'controller.concurrency_limit.mode': 1 },
  },
  'slow-send-1': { options: '', unmet: {} },
};

/** Averages of latencies are of the controller that the server was made for; ours keeps none. */
function boundsOf({
  expected,
}: ServerCase): readonly (readonly [string, { readonly min: number; readonly max: number }])[] {
  return Object.entries(expected).filter(([path]) => !path.startsWith('controller.averaged_rtt'));
}

/** Counts and rates are whole numbers in the original, cut off and not rounded. */
function figureAt(figures: Readonly<Record<string, Figures>>, path: string): number {
  const dot = path.lastIndexOf('.');
  const figure = figures[path.slice(0, dot)]?.[path.slice(dot + 1) as keyof Figures] ?? Number.NaN;
  return path.startsWith('stats.rate') ? Math.trunc(figure) : figure;
}

async function unmetBy(one: ServerCase, options: string): Promise<Readonly<Record<string, number>>> {
  const figures = figuresOf(one, await eventsOf(scenarioOf(one, options)));
  const unmet = boundsOf(one).flatMap(([path, { min, max }]): readonly [string, number][] => {
    const figure = figureAt(figures, path);
    // The clock has whole microseconds.
    return figure >= min - 1e-6 && figure <= max + 1e-6 ? [] : [[path, Math.round(figure * 1000) / 1000]];
  });
  return Object.fromEntries(unmet);
}

describe('the test server of adaptive concurrency', () => {
  it.each(CASES)('$name: every bound but those listed is met', async (one) => {
    const { options, unmet } = OURS[one.name] as { options: string; unmet: Readonly<Record<string, number>> };
    const found = await unmetBy(one, options);
    const count = boundsOf(one).length;
    console.log(`${one.name} (${options || 'defaults'}): ${count - Object.keys(found).length} of ${count} bounds met`);
    expect(found).toEqual(unmet);
  });

  it('is the original one: one more place per round trip, as its own controller does, meets all of constant-link', async () => {
    const link = CASES.find(({ name }) => name === 'constant-link') as ServerCase;
    expect(await unmetBy(link, 'controller: true-aimd')).toEqual({});
  });
});
