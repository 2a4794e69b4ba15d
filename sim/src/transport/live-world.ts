/**
 * A run in real time against a real endpoint, behind safety rails. One probe goes first: what would fail for all requests
 * is found by one.
 */

import { systemClock } from '@tidegate/governor';
import { PHASE } from '../kernel/kernel.js';
import { RandomStreams } from '../kernel/random.js';
import type { ProviderSettings, Scenario } from '../scenario/scenario.js';
import { type Budget, type Prices, type Sizes, Spending } from './budget.js';
import { CLIENT_DIALECTS } from './client-dialect.js';
import { ClientWatch } from './client-watch.js';
import { isLoopback, type ProxySettings } from './connections.js';
import { type Circumstances, explain, hopelessness } from './diagnosis.js';
import { type Endpoint, type Heard, HttpTransport } from './http-transport.js';
import { LiveTransport } from './live-transport.js';
import { livePrompt } from './prompt-text.js';
import { rehearse } from './rehearsal.js';
import type { Attempt } from './transport.js';
import { vendorOf } from './vendor.js';
import { WallScheduler } from './wall-scheduler.js';
import { WallTime, wallClockMs } from './wall-time.js';
import type { World } from './world.js';

/** Where a live run goes and what it may spend there. */
export interface LiveSettings {
  /** Up to where the paths of the dialect begin. */
  readonly baseUrl: string;
  readonly wire: 'openai' | 'anthropic';
  /** As the endpoint calls it; null: as the scenario does. */
  readonly model: string | null;
  readonly apiKey: string | null;
  readonly stream: boolean;
  readonly keepTexts: boolean;
  readonly proxies: ProxySettings;
  /** Of the proxy in between; undefined: there is none. */
  readonly proxyVariable: string | undefined;
  readonly budget: Budget;
  readonly prices: Prices | null;
}

export type LiveOpening =
  | {
      readonly kind: 'world';
      readonly world: World /** Of the probe: refused, and so not sure that all is well. */;
      readonly isRefused: boolean;
    }
  | { readonly kind: 'stopped' /** What is wrong and what to check. */; readonly why: string };

/** For the answer to the probe. */
const PROBE_MS = 60_000;
/** Its few words. */
const PROBE_INPUT = 32;

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
  if (first.kind === 'stopped') {
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
    client: () => watch.load(spending.sent),
    reconfigure() {
      // A real provider is not the scenario's to change.
    },
    async close() {
      watch.stop();
      await transport.close();
    },
  };
}

/** Of the calendar now, and from there by the clock that never jumps. */
function epochOf(time: WallTime): () => number {
  const originMs = wallClockMs();
  return () => originMs + time.nowMs();
}

function endpointsOf(
  providers: Readonly<Record<string, ProviderSettings>>,
  settings: LiveSettings,
): Readonly<Record<string, Endpoint>> {
  const { baseUrl, wire, model, apiKey, stream, proxies } = settings;
  const { hostname } = new URL(baseUrl);
  let asked = 0;
  const entries = Object.entries(providers).map(([name, provider]) => {
    const endpoint: Endpoint = {
      dialect: CLIENT_DIALECTS[wire],
      baseUrl,
      // The host tells whose rules hold, unless the scenario does; a mock on this machine speaks for its provider.
      vendor:
        provider.refusal !== undefined || isLoopback(hostname)
          ? vendorOf(name, wire, provider.refusal)
          : hostname.replace(/^(api|www)\./, ''),
      isStreamed: () => stream,
      promptOf: (attempt) => livePrompt(attempt, ++asked),
      proxies,
      ...(apiKey !== null && { apiKey }),
      ...(model !== null && { modelName: () => model }),
    };
    return [name, endpoint] as const;
  });
  return Object.fromEntries(entries);
}

function circumstancesOf({ wire, model, apiKey, proxyVariable }: LiveSettings): Circumstances {
  return { wire, model: model ?? "the scenario's own", hasKey: apiKey !== null, proxyVariable };
}

/** The request that goes first: which model it asks, and for how much at most. */
export interface Probed {
  readonly provider: string;
  readonly model: string;
  /** As the scenario has it, so that one that is too small for the model is found. */
  readonly maxTokens: number;
}

type Verdict =
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'well'; readonly isRefused: boolean };

/** One small request in a time of its own, asked for as all others will be. */
async function probe(
  { providers, seed }: Pick<Scenario, 'providers' | 'seed'>,
  settings: LiveSettings,
  spending: Spending,
  { provider, model, maxTokens, interrupt }: Probed & { readonly interrupt: AbortSignal | undefined },
): Promise<Verdict> {
  const sizes: Sizes = { inputTokens: PROBE_INPUT, maxTokens };
  const objection = spending.objection(sizes);
  if (objection !== undefined) return { kind: 'stopped', why: objection };
  spending.leaves(sizes);
  const time = new WallTime();
  const scheduler = new WallScheduler(time);
  let seen: Heard | undefined;
  const http = new HttpTransport({
    scheduler,
    endpoints: endpointsOf(providers, settings),
    epochMs: epochOf(time),
    heard: (heard) => {
      seen = heard;
    },
  });
  const stream = new RandomStreams(seed).stream('probe');
  const attempt: Attempt = {
    ...{ provider, model, ...sizes },
    cachedTokens: 0,
    outputTokens: 1,
    luck: { service: stream, prompt: stream, mode: stream, refusal: stream, hint: stream, fault: stream },
    answered(end) {
      spending.ended(sizes, end);
      scheduler.stop();
    },
  };
  const late = systemClock.schedule(() => scheduler.stop(), PROBE_MS);
  try {
    scheduler.after(0, PHASE.dispatch, () => http.send(attempt), undefined);
    const errors: unknown[] = [];
    await scheduler.run({
      ...(interrupt && { interrupt }),
      onError: (error) => errors.push(error),
      isAwaited: () => http.inFlight > 0,
    });
    if (errors.length > 0) throw errors[0];
  } finally {
    late();
    await http.close();
  }
  if (seen === undefined && interrupt?.aborted) return { kind: 'well', isRefused: false };
  return judged(seen, circumstancesOf(settings));
}

function judged(seen: Heard | undefined, circumstances: Circumstances): Verdict {
  if (seen === undefined) return { kind: 'stopped', why: explain(NOT_IN_TIME, circumstances) };
  if (seen.class === 'throttle' || seen.class === 'overload') return { kind: 'well', isRefused: true };
  const isAnswer = seen.class === 'ok' && (seen.characters > 0 || (seen.outputTokens ?? 0) > 0);
  return isAnswer ? { kind: 'well', isRefused: false } : { kind: 'stopped', why: explain(seen, circumstances) };
}

const NOT_IN_TIME: Heard = {
  ...{ class: 'transient', cause: 'timeout', status: undefined, headers: {}, body: undefined },
  ...{ characters: 0, outputTokens: undefined },
};
