/** The course of one run of a study: how the cap of its first key moved against the provider's limit. */

import { run } from '../../run.js';
import type { Scenario } from '../../scenario/scenario.js';
import { simulatedWorld } from '../../transport/world.js';
import { type KeySeries, TimeSeries } from '../timeseries.js';

/** Undefined where the scenario asks no key, or the run broke. */
export async function curveOf(scenario: Scenario, seed: number, version: string): Promise<KeySeries | undefined> {
  const series = new TimeSeries();
  const seeded = { ...scenario, seed };
  const world = simulatedWorld(seeded);
  try {
    await run({ scenario: seeded, world, version, observe: (event) => series.observe(event) });
  } catch {
    return undefined;
  } finally {
    await world.close();
  }
  return series.series().keys[0];
}
