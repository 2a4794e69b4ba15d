/**
 * The simulated provider: pure quota models asked in virtual time, latencies drawn from the attempt's own streams. A
 * refusal comes from the state of a quota and from nothing else.
 */

import {
  createProvider,
  hintMs,
  type Lease,
  loadFactor,
  type Provider,
  type ProviderModel,
  underLoad,
} from '@tidegate/providers-mock';
import { type Sampler, sampler } from '../kernel/distribution.js';
import { type EventHandle, InvariantError, PHASE } from '../kernel/kernel.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { LatencySettings, ModelSettings, ProviderSettings } from '../scenario/scenario.js';
import type { LedgerEntry } from '../trace/events.js';
import type { Attempt, AttemptEnd, Transport } from './transport.js';

/** An attempt on its way: what it holds at the provider and what its answer will be. */
interface OnItsWay {
  readonly attempt: Attempt;
  readonly desk: Desk;
  readonly lease: Lease | null;
  readonly end: AttemptEnd;
}

/** One model of the provider, with its settings as they are now. */
interface Desk {
  readonly key: string;
  readonly model: ProviderModel;
  settings: ModelSettings;
  latency: LatencySamplers;
  /** Sent and not answered, as this side counts; the mock counts for itself. */
  admittedOnTheirWay: number;
}

interface LatencySamplers {
  readonly load: LatencySettings['load'];
  readonly refusalMs: Sampler;
  /** Of the whole answer, or of the first token; then of each token after it. */
  readonly firstMs: Sampler;
  readonly perOutputTokenMs: Sampler;
  readonly tellsFirstToken: boolean;
}

const NOTHING = { kind: 'constant', value: 0 } as const;

export class SimulatedTransport implements Transport {
  readonly #scheduler: Scheduler;
  readonly #providers = new Map<string, Provider>();
  readonly #desks = new Map<string, Map<string, Desk>>();

  constructor(scheduler: Scheduler, providers: Readonly<Record<string, ProviderSettings>>) {
    this.#scheduler = scheduler;
    for (const [name, settings] of Object.entries(providers)) {
      const provider = createProvider(settings);
      this.#providers.set(name, provider);
      const desks = Object.entries(settings.models).map(([model, modelSettings]): [string, Desk] => [
        model,
        {
          key: `${name}/${model}`,
          model: provider.model(model),
          settings: modelSettings,
          latency: samplersOf(modelSettings.latency),
          admittedOnTheirWay: 0,
        },
      ]);
      this.#desks.set(name, new Map(desks));
    }
  }

  send(attempt: Attempt): () => void {
    const desk = this.#desks.get(attempt.provider)?.get(attempt.model);
    if (desk === undefined) throw new InvariantError(`no model ${attempt.provider}/${attempt.model} to send to`);
    const now = this.#scheduler.now();
    const verdict = desk.model.decide(attempt, now);
    if (verdict.kind === 'admitted') return this.#admit(attempt, desk, verdict.lease);
    const end: AttemptEnd = {
      class: verdict.tooLarge ? 'request_too_large' : 'throttle',
      retryAfterMs: hintMs(desk.settings.retryAfter, verdict, now, attempt.luck.hint.next()),
      refusedBy: verdict.quota,
    };
    return this.#answerAfter(desk.latency.refusalMs(attempt.luck.refusal), {
      attempt,
      desk,
      lease: verdict.lease,
      end,
    });
  }

  /** The provider becomes what `settings` say; what is in flight and what is spent stays. */
  reconfigure(name: string, settings: ProviderSettings): void {
    this.#providers.get(name)?.reconfigure(settings, this.#scheduler.now());
    for (const [model, desk] of this.#desks.get(name) ?? []) {
      desk.settings = settings.models[model] as ModelSettings;
      desk.latency = samplersOf(desk.settings.latency);
    }
  }

  ledger(): Readonly<Record<string, LedgerEntry>> {
    const desks = [...this.#desks.values()].flatMap((models) => [...models.values()]);
    return Object.fromEntries(
      desks.map(({ key, model }) => {
        const { admitted, refused, abandoned, peakInFlight, inFlight, refusedBy } = model.ledger();
        return [key, { admitted, refused, abandoned, peakInFlight, inFlight, refusedBy }];
      }),
    );
  }

  #admit(attempt: Attempt, desk: Desk, lease: Lease): () => void {
    desk.admittedOnTheirWay++;
    const { inFlight } = desk.model;
    if (inFlight !== desk.admittedOnTheirWay) {
      throw new InvariantError(
        `${desk.key}: the mock has ${inFlight} in flight, the transport ${desk.admittedOnTheirWay}`,
      );
    }
    const { firstTokenMs, totalMs } = drawService(desk.latency, attempt, inFlight);
    const { inputTokens, outputTokens } = attempt;
    return this.#answerAfter(totalMs, {
      attempt,
      desk,
      lease,
      end: { class: 'ok', inputTokens, outputTokens, firstTokenMs },
    });
  }

  #answerAfter(delayMs: number, onItsWay: OnItsWay): () => void {
    const handle: EventHandle = this.#scheduler.after(delayMs, PHASE.completion, this.#answer, onItsWay);
    return () => {
      if (!this.#scheduler.cancel(handle)) return;
      if (onItsWay.end.class === 'ok') onItsWay.desk.admittedOnTheirWay--;
      onItsWay.lease?.abandoned(this.#scheduler.now());
    };
  }

  /** The place is free before the client hears of it. */
  readonly #answer = ({ attempt, desk, lease, end }: OnItsWay): void => {
    if (end.class === 'ok') desk.admittedOnTheirWay--;
    lease?.answered(end.class === 'ok' ? end : { inputTokens: 0, outputTokens: 0 }, this.#scheduler.now());
    attempt.answered(end);
  };
}

function samplersOf({ service, refusalMs, load }: LatencySettings): LatencySamplers {
  const whole = service.kind === 'service';
  return {
    load,
    refusalMs: sampler(refusalMs),
    firstMs: sampler(whole ? service.serviceMs : service.firstTokenMs),
    perOutputTokenMs: sampler(whole ? NOTHING : service.perOutputTokenMs),
    tellsFirstToken: !whole,
  };
}

/** Both samplers draw in either form, so that the form of the latency shifts no later draw of this subagent. */
function drawService(
  latency: LatencySamplers,
  { outputTokens, luck }: Attempt,
  inFlight: number,
): { readonly firstTokenMs: number | null; readonly totalMs: number } {
  const factor = loadFactor(latency.load, inFlight);
  const firstMs = latency.firstMs(luck.service);
  const totalMs = firstMs + latency.perOutputTokenMs(luck.service) * outputTokens;
  return {
    firstTokenMs: latency.tellsFirstToken ? underLoad(firstMs, factor) : null,
    totalMs: underLoad(totalMs, factor),
  };
}
