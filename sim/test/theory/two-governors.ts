/** Two governors, each a process of its own, with endless work on one quota of one simulated provider. */

import { createGovernor, type GovernorOptions, type Ticket } from '@tidegate/governor';
import type { QuotaSpec } from '@tidegate/providers-mock';
import { Kernel, PHASE } from '../../src/kernel/kernel.js';
import { RandomStreams } from '../../src/kernel/random.js';
import { SimulatedTransport } from '../../src/transport/simulated.js';
import type { AttemptEnd } from '../../src/transport/transport.js';

const KEY = { provider: 'acme', model: 'large' };
const constant = (value: number) => ({ kind: 'constant', value }) as const;

export interface Shared {
  readonly quota: QuotaSpec;
  readonly wire: 'openai' | 'gemini';
  /** Whether a refusal says how long to wait. */
  readonly hints: boolean;
  readonly serviceMs: number;
  /** One per governor; `startsMs` is when its work begins. */
  readonly governors: readonly { readonly options: GovernorOptions; readonly startsMs: number }[];
}

/** Successes of each governor per window of `everyMs`, up to `lengthMs`. */
export function share(shared: Shared, everyMs: number, lengthMs: number): readonly (readonly number[])[] {
  const kernel = new Kernel();
  const streams = new RandomStreams(1);
  const latency = {
    service: { kind: 'service', serviceMs: constant(shared.serviceMs) },
    refusalMs: constant(50),
    load: { slope: 0, kneeStart: null, kneeBase: 1 },
  } as const;
  const retryAfter = shared.hints
    ? ({ kind: 'exact', as: 'seconds', rounding: 'up', error: 0 } as const)
    : ({ kind: 'none' } as const);
  const model = { quotas: [shared.quota], retryAfter, latency };
  const providers = { acme: { wire: shared.wire, quotas: [], models: { large: model } } };
  const transport = new SimulatedTransport(kernel, providers, streams, true);
  const counts = shared.governors.map(() => new Array<number>(Math.ceil(lengthMs / everyMs)).fill(0));
  shared.governors.forEach(({ options, startsMs }, index) => {
    const governor = createGovernor({ ...options, clock: kernel.clock });
    const stream = (of: string) => streams.stream(`${index}/${of}`);
    const luck = {
      ...{ service: stream('service'), prompt: stream('prompt'), mode: stream('mode'), refusal: stream('refusal') },
      ...{ hint: stream('hint'), fault: stream('fault') },
    };
    const work = (): void => {
      governor.enqueue(KEY, {}, { admitted: send, refused() {} });
    };
    const send = (ticket: Ticket): void => {
      const attempt = { ...KEY, inputTokens: 100, cachedTokens: 0, outputTokens: 10, maxTokens: 10, luck };
      const answered = (end: AttemptEnd): void => {
        if (end.limits !== undefined) ticket.learn(end.limits);
        if (end.class === 'ok') {
          counts[index]![Math.floor(kernel.now() / everyMs)]!++;
          ticket.succeed({ inputTokens: end.inputTokens, outputTokens: end.outputTokens });
          kernel.after(0, PHASE.arrival, work, undefined);
        } else {
          const { retryAfterMs, scope } = end;
          ticket.throttle({ ...(retryAfterMs !== null && { retryAfterMs }), ...(scope !== undefined && { scope }) });
          kernel.after(retryAfterMs ?? 0, PHASE.arrival, work, undefined);
        }
      };
      kernel.after(0, PHASE.dispatch, () => void transport.send({ ...attempt, answered }), undefined);
    };
    const begin = (): void => {
      for (let n = 0; n < 200; n++) work();
    };
    kernel.after(startsMs, PHASE.arrival, begin, undefined);
  });
  kernel.run(lengthMs, Number.POSITIVE_INFINITY);
  return counts;
}

/** Of two. */
export function jain(a: number, b: number): number {
  return (a + b) ** 2 / (2 * (a * a + b * b));
}
