/**
 * Some requests over a loopback of their own, before the time of a run begins: the first ones of a process take many times
 * as long as all others, while code is loaded and compiled, and at a high speed that would be seconds of the scenario.
 * Nothing of it is told or counted.
 */

import { PHASE } from '../kernel/kernel.js';
import { type RandomStream, RandomStreams } from '../kernel/random.js';
import type { ProviderSettings } from '../scenario/scenario.js';
import { type Loopback, openLoopback } from './loopback-transport.js';
import type { Attempt } from './transport.js';
import { WallTime } from './wall-time.js';

const WIDTH = 8;
const ROUNDS = 6;
const constant = (value: number) => ({ kind: 'constant', value }) as const;

/** Refuses some, since refusals are to be rehearsed too. */
const STAGE: ProviderSettings = {
  wire: 'openai',
  quotas: [{ kind: 'concurrency', name: 'concurrency', limit: WIDTH - 2, refusedCount: false }],
  models: {
    any: {
      quotas: [],
      retryAfter: { kind: 'none' },
      latency: {
        service: { kind: 'tokens', firstTokenMs: constant(1), perOutputTokenMs: constant(0.1) },
        refusalMs: constant(1),
        load: { slope: 0, kneeStart: null, kneeBase: 1 },
      },
    },
  },
};

/** Rejects with the system's error where nothing can be served. */
export async function rehearse(): Promise<void> {
  const streams = new RandomStreams(1);
  const loopback = await openLoopback({ providers: { stage: STAGE }, streams, time: new WallTime() });
  const { scheduler, transport } = loopback;
  try {
    for (let n = 0; n < WIDTH; n++) {
      scheduler.after(
        0,
        PHASE.dispatch,
        (player) => player.play(),
        new Player(loopback, streams.stream(`player ${n}`)),
      );
    }
    await new Promise<void>((resolve, reject) => {
      scheduler.run({ onError: reject, isAwaited: () => transport.inFlight > 0 }).then(() => resolve(), reject);
    });
  } finally {
    await transport.close();
  }
}

/** One request after the other. */
class Player implements Attempt {
  readonly provider = 'stage';
  readonly model = 'any';
  readonly inputTokens = 1000;
  readonly cachedTokens = 0;
  readonly outputTokens = 100;
  readonly maxTokens = 100;
  readonly luck: Attempt['luck'];
  readonly #loopback: Loopback;
  #left = ROUNDS;

  constructor(loopback: Loopback, stream: RandomStream) {
    this.#loopback = loopback;
    this.luck = { service: stream, prompt: stream, mode: stream, refusal: stream, hint: stream, fault: stream };
  }

  play(): void {
    this.#left--;
    this.#loopback.transport.send(this);
  }

  answered(): void {
    if (this.#left > 0) this.#loopback.scheduler.after(0, PHASE.dispatch, (player) => player.play(), this);
  }
}
