/**
 * A run in real time against a real endpoint, behind safety rails.
 */

import { PHASE } from '../kernel/kernel.js';
import type { Scenario } from '../scenario/scenario.js';
import { Spending } from './budget.js';
import { ClientWatch } from './client-watch.js';
import { hopelessness } from './diagnosis.js';
import { HttpTransport } from './http-transport.js';
import { circumstancesOf, endpointsOf, epochOf, type LiveSettings, type Probed, probe } from './live-setup.js';
import { LiveTransport } from './live-transport.js';
import { rehearse } from './rehearsal.js';
import { WallScheduler } from './wall-scheduler.js';
import { WallTime } from './wall-time.js';
import type { World } from './world.js';

export type LiveOpening =
  | {
      readonly kind: 'world';
      readonly world: World /** Of the probe: refused, and so not sure that all is well. */;
      readonly isRefused: boolean;
    }
  /** While the probe was under way: the run has not begun. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'stopped' /** What is wrong and what to check. */; readonly why: string };

/** Sends the probe; rejects as the transport does where a URL is none. */
export async function openLive(
  scenario: Pick<Scenario, 'providers' | 'seed'>,
  settings: LiveSettings,
  probed: Probed,
  interrupt?: AbortSignal,
): Promise<LiveOpening> {
  const spending = new Spending(settings.budget, settings.prices);
  // So that the first answers are not measured while code is compiled.
  await rehearse();
  const watch = new ClientWatch();
  watch.start();
  const first = await probe(scenario, settings, spending, { ...probed, interrupt });
  if (first.kind !== 'well') {
    watch.stop();
    return first;
  }
  return { kind: 'world', world: liveWorld(scenario, settings, spending, watch), isRefused: first.isRefused };
}

function liveWorld(
  scenario: Pick<Scenario, 'providers'>,
  settings: LiveSettings,
  spending: Spending,
  watch: ClientWatch,
): World {
  const time = new WallTime();
  const scheduler = new WallScheduler(time);
  const epochMs = epochOf(time);
  const http = new HttpTransport({
    scheduler,
    endpoints: endpointsOf(scenario.providers, settings),
    epochMs,
    heard: (heard) => transport.hear(heard),
    keepsTexts: settings.keepTexts,
  });
  const transport = new LiveTransport({
    http,
    scheduler,
    spending,
    hopelessness: (heard) => hopelessness(heard, circumstancesOf(settings)),
  });
  const { timeMs } = settings.budget;
  return {
    mode: 'live',
    scheduler,
    transport,
    advance(options) {
      if (timeMs < Number.POSITIVE_INFINITY) {
        const why = `the budget of ${timeMs / 1000} s is spent; raise --max-time`;
        scheduler.after(timeMs, PHASE.sampling, () => transport.endNow(why), undefined);
      }
      return scheduler.run({ ...options, isAwaited: () => transport.inFlight > 0 });
    },
    stop: () => scheduler.stop(),
    whyStopped() {
      const detail = transport.stopped;
      return detail === undefined ? undefined : { reason: 'safety-rail', detail };
    },
    client: () => watch.load(spending),
    reconfigure() {
      // A real provider is not the scenario's to change.
    },
    async close() {
      watch.stop();
      await transport.close();
    },
  };
}
