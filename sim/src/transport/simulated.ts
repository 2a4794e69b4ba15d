/**
 * The simulated provider: pure models asked in virtual time, latencies and faults drawn from the attempt's own streams. A
 * refusal comes from the state of the provider and from nothing else; a fault befalls what was admitted, and is named.
 */

import { announcedLimits, type RateLimit } from '@tidegate/governor';
import {
  type Ahead,
  createProvider,
  FAULT_EFFECTS,
  type FaultKind,
  faultEndsAfterMs,
  hintMs,
  type Lease,
  type OverloadStatus,
  type Provider,
  type ProviderModel,
  pickFault,
  type Refusal,
  type RequestFacts,
  rateLimitHeaders,
  SLOWNESS,
  type Usage,
  usedUnderFault,
  type Verdict,
} from '@tidegate/providers-mock';
import { DefectError, type EventHandle, PHASE } from '../kernel/kernel.js';
import type { RandomStreams } from '../kernel/random.js';
import type { Scheduler } from '../kernel/scheduler.js';
import type { ModelSettings, ProviderSettings, TargetSettings } from '../scenario/scenario.js';
import type { CountedModel } from '../trace/events.js';
import { countedModel } from './counted-model.js';
import { RefusalReader } from './refusal-reading.js';
import { ORIGIN_MS } from './run-calendar.js';
import { drawService, type LatencySamplers, type ServiceTimes, samplersOf } from './service-times.js';
import { isStreamed } from './streamed.js';
import type { Attempt, AttemptEnd, Transport } from './transport.js';

/** An attempt at the provider: what it holds there and, once that is known, how and when it ends. */
class OnItsWay {
  readonly attempt: Attempt;
  readonly desk: Desk;
  readonly lease: Lease | null;
  readonly isAdmitted: boolean;
  readonly sentAtMs: number;
  /** What the provider counts as used. */
  usage: Usage = NOTHING_USED;
  /** As the headers of its answer have them, which are written when it is let in. */
  limits: readonly RateLimit[] | undefined = undefined;
  end: AttemptEnd = NO_ANSWER;
  /** A success was begun while it waited, with bytes to keep it alive: its client has seen a status of 200. */
  isHeadSent = false;
  /** When it ends by itself; infinite while nobody knows. */
  endsAtMs = Number.POSITIVE_INFINITY;
  /** Null while it waits to be worked on, and where it never ends by itself. */
  handle: EventHandle | null = null;

  constructor(attempt: Attempt, desk: Desk, verdict: Verdict, sentAtMs: number) {
    this.attempt = attempt;
    this.desk = desk;
    this.lease = verdict.lease;
    this.isAdmitted = verdict.kind === 'admitted';
    this.sentAtMs = sentAtMs;
  }
}

/** One model of the provider, with its settings as they are now. */
interface Desk {
  readonly key: string;
  readonly model: ProviderModel;
  provider: ProviderSettings;
  settings: ModelSettings;
  latency: LatencySamplers;
  reader: RefusalReader;
  /** Sent and not answered, as this side counts; the mock counts for itself. */
  admittedOnTheirWay: number;
}

const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0 };
const NO_ANSWER: AttemptEnd = { class: 'transient', retryAfterMs: null };

export class SimulatedTransport implements Transport {
  readonly #scheduler: Scheduler;
  readonly #providers = new Map<string, Provider>();
  readonly #desks = new Map<string, Map<string, Desk>>();
  readonly #tellsLimits: boolean;

  /**
   * @param streams of the scenario: the luck of what happens by itself at a provider.
   * @param tellsLimits whether its answers say what their headers would of the rate limits; telling it takes time.
   */
  constructor(
    scheduler: Scheduler,
    providers: Readonly<Record<string, ProviderSettings>>,
    streams: RandomStreams,
    tellsLimits = false,
  ) {
    this.#scheduler = scheduler;
    this.#tellsLimits = tellsLimits;
    for (const [name, settings] of Object.entries(providers)) {
      const provider = createProvider(settings, (label) => {
        const stream = streams.stream(`providers/${name}/${label}`);
        return () => stream.next();
      });
      this.#providers.set(name, provider);
      const desks = Object.entries(settings.models).map(([model, modelSettings]): [string, Desk] => [
        model,
        {
          key: `${name}/${model}`,
          model: provider.model(model),
          provider: settings,
          settings: modelSettings,
          latency: samplersOf(modelSettings.latency),
          reader: new RefusalReader(name, model, settings),
          admittedOnTheirWay: 0,
        },
      ]);
      this.#desks.set(name, new Map(desks));
    }
  }

  send(attempt: Attempt): () => number | undefined {
    const desk = this.#desk(attempt.provider, attempt.model);
    const now = this.#scheduler.now();
    const verdict = desk.model.decide(attempt, now);
    const { faults } = desk.settings;
    const fault = faults === undefined ? null : pickFault(faults, now, attempt.luck.fault.next());
    const onItsWay = new OnItsWay(attempt, desk, verdict, now);
    if (this.#tellsLimits && fault !== 'no-headers') onItsWay.limits = limitsTold(desk, verdict, attempt, now);
    if (verdict.kind === 'refused') this.#refuse(onItsWay, verdict, fault);
    else this.#admit(onItsWay, verdict, fault);
    return () => this.#abandon(onItsWay);
  }

  /** The provider becomes what `settings` say; what is in flight and what is spent stays. */
  reconfigure(name: string, settings: ProviderSettings): void {
    this.#providers.get(name)?.reconfigure(settings, this.#scheduler.now());
    for (const [model, desk] of this.#desks.get(name) ?? []) {
      desk.provider = settings;
      desk.settings = settings.models[model] as ModelSettings;
      desk.latency = samplersOf(desk.settings.latency);
      desk.reader = new RefusalReader(name, model, settings);
    }
  }

  waitMs({ provider, model }: TargetSettings, facts: RequestFacts, ahead: readonly Ahead[]): number | null {
    return this.#desk(provider, model).model.waitMs(facts, this.#scheduler.now(), ahead);
  }

  ledger(): Readonly<Record<string, CountedModel>> {
    const desks = [...this.#desks.values()].flatMap((models) => [...models.values()]);
    return Object.fromEntries(desks.map(({ key, model }) => [key, countedModel(model.ledger())]));
  }

  #desk(provider: string, model: string): Desk {
    const desk = this.#desks.get(provider)?.get(model);
    if (desk === undefined) throw new DefectError(`no model ${provider}/${model} to send to`);
    return desk;
  }

  /** Of all faults only missing headers reach a refusal: they take its hint. */
  #refuse(onItsWay: OnItsWay, verdict: Refusal, fault: FaultKind | null): void {
    const { attempt, desk, sentAtMs } = onItsWay;
    const epochMs = ORIGIN_MS + sentAtMs;
    const isBare = fault === 'no-headers';
    const read = desk.reader.read(verdict, {
      hintMs: hintMs(desk.settings.retryAfter, verdict, epochMs, attempt.luck.hint.next()),
      isBare,
      epochMs,
      standings: () => desk.model.standings(attempt, sentAtMs),
      readsLimits: this.#tellsLimits,
    });
    onItsWay.end = {
      class: read.class,
      retryAfterMs: read.retryAfterMs,
      scope: read.scope,
      refusedBy: verdict.quota,
      fault: isBare ? fault : undefined,
    };
    if (read.limits !== undefined) {
      const told = onItsWay.limits ?? [];
      onItsWay.limits = [...told, ...read.limits.filter(({ name }) => !told.some((other) => other.name === name))];
    }
    this.#endAfter(desk.latency.refusalMs(attempt.luck.refusal), onItsWay);
  }

  #admit(onItsWay: OnItsWay, verdict: Extract<Verdict, { kind: 'admitted' }>, fault: FaultKind | null): void {
    const { desk } = onItsWay;
    desk.admittedOnTheirWay++;
    const { inFlight } = desk.model;
    if (inFlight !== desk.admittedOnTheirWay) {
      throw new DefectError(
        `${desk.key}: the mock has ${inFlight} in flight, the transport ${desk.admittedOnTheirWay}`,
      );
    }
    if (desk.settings.server === undefined) this.#serve(onItsWay, fault);
    else {
      let hasWaited = false;
      verdict.lease.whenServed(() => {
        onItsWay.isHeadSent = hasWaited && desk.settings.keepAliveMs !== undefined;
        this.#serve(onItsWay, fault);
      });
      hasWaited = true;
    }
  }

  /** It is worked on from now on, perhaps after a wait that nobody told its client of. */
  #serve(onItsWay: OnItsWay, fault: FaultKind | null): void {
    const { attempt, desk, sentAtMs } = onItsWay;
    const waitedMs = this.#scheduler.now() - sentAtMs;
    const times = drawService(desk.latency, attempt, desk.model.inService);
    onItsWay.usage = attempt;
    onItsWay.end = answerOf(attempt, times, waitedMs);
    if (desk.settings.faults === undefined) this.#endAfter(times.totalMs, onItsWay);
    else this.#strike(onItsWay, fault, { times, waitedMs, earlyMs: desk.latency.refusalMs(attempt.luck.fault) });
  }

  #strike(
    onItsWay: OnItsWay,
    fault: FaultKind | null,
    { times, waitedMs, earlyMs }: { readonly times: ServiceTimes; readonly waitedMs: number; readonly earlyMs: number },
  ): void {
    if (fault === null) {
      this.#endAfter(times.totalMs, onItsWay);
      return;
    }
    const effect = FAULT_EFFECTS[fault];
    const { attempt } = onItsWay;
    const { firstTokenMs } = times;
    onItsWay.usage = usedUnderFault(effect, attempt);
    onItsWay.end =
      effect.class === 'ok'
        ? {
            ...answerOf(attempt, effect.ends === 'slow' ? slowed(times) : times, waitedMs),
            fault,
          }
        : {
            class: failureRead(fault, onItsWay),
            retryAfterMs: null,
            fault,
            ...spentOf(onItsWay.usage),
          };
    const afterMs = faultEndsAfterMs(effect, { refusalMs: earlyMs, firstTokenMs, totalMs: times.totalMs });
    if (afterMs !== null) this.#endAfter(afterMs, onItsWay);
  }

  #endAfter(delayMs: number, onItsWay: OnItsWay): void {
    onItsWay.endsAtMs = this.#scheduler.now() + delayMs;
    onItsWay.handle = this.#scheduler.after(delayMs, PHASE.completion, this.#end, onItsWay);
  }

  /** The place is free before the client hears of it. */
  readonly #end = ({ attempt, desk, lease, isAdmitted, usage, end, limits }: OnItsWay): void => {
    if (isAdmitted) desk.admittedOnTheirWay--;
    lease?.answered(usage, this.#scheduler.now());
    attempt.answered(limits === undefined ? end : { ...end, limits });
  };

  #abandon(onItsWay: OnItsWay): number | undefined {
    const { handle, isAdmitted, desk, lease } = onItsWay;
    if (handle !== null && !this.#scheduler.cancel(handle)) return undefined;
    if (isAdmitted) desk.admittedOnTheirWay--;
    lease?.abandoned(this.#scheduler.now());
    return spentUntil(this.#scheduler.now(), onItsWay);
  }
}

/** Of a fault that is no success, as its client reads it. */
function failureRead(fault: FaultKind, { desk, isHeadSent }: OnItsWay): Exclude<AttemptEnd['class'], 'ok'> {
  const effect = FAULT_EFFECTS[fault];
  // A stream that kept a client waiting and ends with nothing that it understands never came to its turn.
  if (isHeadSent && isStreamed(desk.settings) && (fault === 'html-page' || fault === 'empty-body')) return 'overload';
  if (effect.class !== 'overload') return effect.class as Exclude<AttemptEnd['class'], 'ok'>;
  // An error in a stream has no status of its own anyway.
  return desk.reader.readOverload(overloadOf(fault), isHeadSent && fault !== 'error-event');
}

/** Its prompt, and of its output as much as is generated by then. */
function spentUntil(nowMs: number, { usage, end, sentAtMs, endsAtMs }: OnItsWay): number | undefined {
  const firstAtMs = sentAtMs + (end.class === 'ok' ? (end.firstTokenMs ?? 0) : 0);
  const generated = endsAtMs > firstAtMs ? Math.max(0, nowMs - firstAtMs) / (endsAtMs - firstAtMs) : 0;
  return usage.inputTokens + Math.floor(usage.outputTokens * generated) || undefined;
}

function spentOf({ inputTokens, outputTokens }: Usage): { readonly spentTokens?: number } {
  const spentTokens = inputTokens + outputTokens;
  return spentTokens > 0 ? { spentTokens } : {};
}

/** With which status a fault says that the provider is overloaded. */
function overloadOf(fault: FaultKind): OverloadStatus {
  return fault === 'status-529' ? 529 : 503;
}

function limitsTold(
  { model, provider }: Desk,
  { kind }: Verdict,
  attempt: Attempt,
  nowMs: number,
): readonly RateLimit[] {
  const told = { standings: model.standings(attempt, nowMs), epochMs: nowMs, isRefusal: kind === 'refused' };
  return announcedLimits({ headers: rateLimitHeaders(provider, told) });
}

function answerOf(
  { inputTokens, outputTokens }: Attempt,
  { firstTokenMs, tellsFirstToken }: ServiceTimes,
  waitedMs: number,
): Extract<AttemptEnd, { class: 'ok' }> {
  // Differences of millisecond doubles miss their microsecond by a rounding error.
  const sinceSentMs = tellsFirstToken ? Math.round((waitedMs + firstTokenMs) * 1000) / 1000 : null;
  return { class: 'ok', inputTokens, outputTokens, firstTokenMs: sinceSentMs };
}

function slowed({ firstTokenMs, totalMs, tellsFirstToken }: ServiceTimes): ServiceTimes {
  return { firstTokenMs: firstTokenMs * SLOWNESS, totalMs: totalMs * SLOWNESS, tellsFirstToken };
}
