/** A pressure test in real time: the probe first, then steps on demand, behind the same rails as a live run. */

import { PHASE } from '../kernel/kernel.js';
import { Spending } from './budget.js';
import { hopelessness } from './diagnosis.js';
import { HttpTransport } from './http-transport.js';
import { circumstancesOf, endpointsOf, epochOf, type LiveSettings, probe } from './live-setup.js';
import { Pressure, type PressureOptions, type Seen, type StepLength } from './pressure.js';
import { rehearse } from './rehearsal.js';
import { WallScheduler } from './wall-scheduler.js';
import { WallTime } from './wall-time.js';

export interface PressureWorld {
  /** The safety rail that was met, in words. */
  readonly stopped: string | undefined;
  /** Returns the milliseconds that it took. */
  step(width: number, length: StepLength, see: (seen: Seen) => void): Promise<number>;
  /** Ends early with the interrupt. */
  pause(ms: number, interrupt: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type PressureOpening =
  | { readonly kind: 'world'; readonly world: PressureWorld }
  | { readonly kind: 'stopped'; readonly why: string };

export async function openPressure(
  settings: LiveSettings,
  asked: PressureOptions['asked'],
  interrupt: AbortSignal,
): Promise<PressureOpening> {
  const spending = new Spending(settings.budget, settings.prices);
  const providers = { [asked.provider]: { wire: settings.wire, quotas: [], models: {} } };
  await rehearse();
  const first = await probe({ providers, seed: 1 }, settings, spending, { ...asked, interrupt });
  if (first.kind === 'stopped') return first;
  const time = new WallTime();
  const scheduler = new WallScheduler(time);
  const http: HttpTransport = new HttpTransport({
    scheduler,
    endpoints: endpointsOf(providers, settings),
    epochMs: epochOf(time),
    heard: (heard) => pressure.hear(heard),
  });
  const pressure = await Pressure.open({
    ...{ http, scheduler, spending, asked },
    hopelessness: (heard) => hopelessness(heard, circumstancesOf(settings)),
  });
  let defect: { readonly error: unknown } | undefined;
  const over = scheduler.run({
    onError: (error) => {
      defect ??= { error };
      pressure.halt('a defect of the simulator');
    },
    isAwaited: () => true,
  });
  const { timeMs } = settings.budget;
  if (timeMs < Number.POSITIVE_INFINITY) {
    const why = `the budget of ${timeMs / 1000} s is spent; raise --max-time`;
    scheduler.after(timeMs, PHASE.sampling, () => pressure.halt(why), undefined);
  }
  const close = (): void => pressure.close();
  interrupt.addEventListener('abort', close, { once: true });
  const world: PressureWorld = {
    get stopped() {
      return pressure.stopped;
    },
    async step(width, length, see) {
      const from = scheduler.now();
      await pressure.step(width, length, see);
      if (defect !== undefined) throw defect.error;
      return scheduler.now() - from;
    },
    pause: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          signal.removeEventListener('abort', done);
          scheduler.cancel(handle);
          resolve();
        };
        const handle = scheduler.after(ms, PHASE.timer, done, undefined);
        signal.addEventListener('abort', done, { once: true });
      }),
    async close() {
      interrupt.removeEventListener('abort', close);
      await pressure.end();
      scheduler.stop();
      await over;
    },
  };
  return { kind: 'world', world };
}
