/**
 * A run over HTTP in real time against the scenario's own providers, served on 127.0.0.1 by this process. Real requests
 * meet real timers here; what is drawn is what the simulated world draws.
 */

import { RandomStreams } from '../kernel/random.js';
import type { Scenario } from '../scenario/scenario.js';
import { openLoopback } from './loopback-transport.js';
import { rehearse } from './rehearsal.js';
import { WallTime } from './wall-time.js';
import type { World } from './world.js';

export interface LoopbackWorldOptions {
  /** How many times as fast as the scenario says everything goes; finite, above 0. Default 1. */
  readonly speed?: number;
}

/** @throws RangeError for a speed that is none; rejects with the system's error where nothing can be served. */
export async function loopbackWorld(
  { providers, seed }: Pick<Scenario, 'providers' | 'seed'>,
  { speed = 1 }: LoopbackWorldOptions = {},
): Promise<World> {
  const time = new WallTime({ speed });
  await rehearse();
  const { scheduler, transport } = await openLoopback({ providers, streams: new RandomStreams(seed), time });
  return {
    mode: 'loopback',
    scheduler,
    transport,
    advance: (options) => scheduler.run({ ...options, isAwaited: () => transport.inFlight > 0 }),
    stop: () => scheduler.stop(),
    reconfigure: (provider, settings) => transport.reconfigure(provider, settings),
    close: () => transport.close(),
  };
}
