/** The course of one run of a study: how the cap of its first key moved against the provider's limit. */

import { run } from '../../run.js';
import { simulatedWorld } from '../../transport/world.js';
import { type KeySeries, TimeSeries } from '../timeseries.js';
import { ownController } from './run-row.js';
import type { Cell } from './study.js';

/** Undefined where the scenario asks no key, or the run broke. */
export async function curveOf(
  { scenario, folder }: Omit<Cell, 'label'>,
  seed: number,
  version: string,
): Promise<KeySeries | undefined> {
  const series = new TimeSeries();
  const seeded = { ...scenario, seed };
  const world = simulatedWorld(seeded);
  try {
    const own = await ownController(scenario, folder);
    await run({ scenario: seeded, world, version, observe: (event) => series.observe(event), ...own });
  } catch {
    return undefined;
  } finally {
    await world.close();
  }
  return series.series().keys[0];
}
