/**
 * Whether a call costs the same however many calls, agents, runs or keys there are: the CPU time of one, compiler and
 * collector included, over each of the four while the others stay; and over how many requests are open at once, because
 * with more runs there are more of them, and it is those that a call then pays for. `TIDEGATE_BENCH_CALLS` says the calls of a measurement,
 * default 1 000 000; agents, runs and keys are made anew for each, and with few calls of each that is what is measured.
 */

import { CALLS, fanOut, simulate } from './throughput.mjs';

const COUNTS = [1, 10, 100, 1000, 10_000];

/** By what is counted: the counts, and the fan-out of each. */
export const SCALES = {
  calls: {
    counts: [10_000, 100_000, 1_000_000, 10_000_000].filter((n) => n <= 10 * CALLS),
    shape: (calls) => ({ calls }),
  },
  open: { counts: [64, 1000, 10_000], shape: (open) => ({ calls: CALLS, agents: 10_000, open }) },
  agents: { counts: COUNTS, shape: (agents) => ({ calls: CALLS, agents }) },
  // As many agents throughout, so that only how they are grouped differs.
  runs: { counts: COUNTS, shape: (runs) => ({ calls: CALLS, agents: 10_000, runs }) },
  keys: { counts: COUNTS, shape: (keys) => ({ calls: CALLS, agents: 10_000, runs: keys, keys }) },
};

/**
 * @param heard is told of each measurement.
 * @param scales of those above, by name; default: all.
 */
export async function measured(heard = () => {}, scales = Object.keys(SCALES)) {
  await simulate(fanOut({ calls: Math.min(CALLS, 500_000) }));
  const figures = {};
  for (const what of scales) {
    const { counts, shape } = SCALES[what];
    figures[what] = [];
    for (const count of counts) {
      const { ms, attempts } = await simulate(fanOut(shape(count)));
      figures[what].push({ count, microseconds: (1000 * ms) / attempts });
      heard(`${what} ${count}: ${((1000 * ms) / attempts).toFixed(1)} µs a call`);
    }
  }
  return figures;
}

export async function bench() {
  const figures = await measured();
  return Object.entries(figures).flatMap(([what, rows]) =>
    rows.map(({ count, microseconds }) => ({
      name: `a call, ${count.toLocaleString('en')} ${what === 'open' ? 'requests open' : what}`,
      value: microseconds,
      unit: 'µs CPU',
      note: '',
    })),
  );
}
