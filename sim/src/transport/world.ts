/**
 * What a run happens in: its time and its provider. The simulated world is here; a loopback and a live one are others of
 * the same shape.
 */

import { Kernel } from '../kernel/kernel.js';
import { RandomStreams } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { ProviderSettings, Scenario } from '../scenario/scenario.js';
import type { ClientLoad, Mode, StopReason } from '../trace/events.js';
import { SimulatedTransport } from './simulated.js';
import type { Transport } from './transport.js';

export interface World {
  readonly mode: Mode;
  readonly scheduler: Scheduler;
  readonly transport: Transport;
  /** Lets time pass until `stop` is called, nothing is left to happen, or the interrupt fires. */
  advance(options: {
    readonly interrupt?: AbortSignal;
    readonly onError: (error: unknown) => void;
  }): Promise<'drained' | 'stopped' | 'interrupted'>;
  stop(): void;
  /** Why it stopped by itself, where it did: a live world has rails of its own. */
  whyStopped?(): { readonly reason: StopReason; readonly detail: string } | undefined;
  /** What the run cost this process; of a live world alone. */
  client?(): ClientLoad;
  reconfigure(provider: string, settings: ProviderSettings): void;
  /** Gives back what it holds of the machine: sockets, timers, a server. The last call; whatever became of the run. */
  close(): Promise<void>;
}

/** Events between two looks at the process's own event loop, so that Ctrl-C is heard: some milliseconds of work. */
const SLICE = 20_000;

export function simulatedWorld({
  providers,
  seed,
  governor,
}: Pick<Scenario, 'providers' | 'seed' | 'governor'>): World {
  const kernel = new Kernel();
  const transport = new SimulatedTransport(
    kernel,
    providers,
    new RandomStreams(seed),
    governor.options.pacing === 'headers',
  );
  return {
    mode: 'simulated',
    scheduler: kernel,
    transport,
    stop: () => kernel.stop(),
    reconfigure: (provider, settings) => transport.reconfigure(provider, settings),
    async close() {},
    async advance({ interrupt, onError }) {
      for (;;) {
        if (interrupt?.aborted) return 'interrupted';
        try {
          const end = kernel.run(Number.POSITIVE_INFINITY, SLICE);
          if (end === 'drained' || end === 'stopped') return end;
        } catch (error) {
          onError(error);
          return 'stopped';
        }
        if (interrupt !== undefined) await nextTurn();
      }
    },
  };
}

/** A turn of the process's event loop, in which its signals are handled. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
