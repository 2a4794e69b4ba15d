/**
 * What a live run and a pressure test have in common: the endpoint, as the scenario's providers are asked there, and the
 * probe. One small request goes first: what would fail for all is found by one.
 */

import { systemClock } from '@tidegate/governor';
import { PHASE } from '../kernel/kernel.js';
import { RandomStreams } from '../kernel/random.js';
import type { ProviderSettings, Scenario } from '../scenario/scenario.js';
import { causeOf } from './answer-cause.js';
import type { Budget, Prices, Sizes, Spending } from './budget.js';
import { CLIENT_DIALECTS, type MaxTokensField } from './client-dialect.js';
import { isLoopback, type ProxySettings } from './connections.js';
import { type Circumstances, explain } from './diagnosis.js';
import { type Endpoint, type Heard, HttpTransport } from './http-transport.js';
import { livePrompt } from './prompt-text.js';
import type { Attempt } from './transport.js';
import { vendorOf } from './vendor.js';
import { WallScheduler } from './wall-scheduler.js';
import { WallTime, wallClockMs } from './wall-time.js';

/** Where a live run goes and what it may spend there. */
export interface LiveSettings {
  /** Up to where the paths of the dialect begin. */
  readonly baseUrl: string;
  readonly wire: 'openai' | 'anthropic';
  /** As the endpoint calls it; null: as the scenario does. */
  readonly model: string | null;
  readonly apiKey: string | null;
  readonly stream: boolean;
  /** Of the OpenAI dialect. Default max_tokens. */
  readonly maxTokensField?: MaxTokensField;
  readonly keepTexts: boolean;
  readonly proxies: ProxySettings;
  /** Of the proxy in between; undefined: there is none. */
  readonly proxyVariable: string | undefined;
  readonly budget: Budget;
  /** For the answer to the probe. */
  readonly probeMs: number;
  readonly prices: Prices | null;
}

/** Its few words. */
const PROBE_INPUT = 32;

/** Of the calendar now, and from there by the clock that never jumps. */
export function epochOf(time: WallTime): () => number {
  const originMs = wallClockMs();
  return () => originMs + time.nowMs();
}

export function endpointsOf(
  providers: Readonly<Record<string, ProviderSettings>>,
  settings: LiveSettings,
): Readonly<Record<string, Endpoint>> {
  const { baseUrl, wire, model, apiKey, stream, maxTokensField, proxies } = settings;
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
      ...(maxTokensField !== undefined && { maxTokensField }),
      ...(model !== null && { modelName: () => model }),
    };
    return [name, endpoint] as const;
  });
  return Object.fromEntries(entries);
}

export function circumstancesOf({ wire, apiKey, proxyVariable }: LiveSettings): Circumstances {
  return { wire, hasKey: apiKey !== null, proxyVariable };
}

/** The request that goes first: which model it asks, and for how much at most. */
export interface Probed {
  readonly provider: string;
  readonly model: string;
  /** As the scenario has it, so that one that is too small for the model is found. */
  readonly maxTokens: number;
}

export type Verdict =
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'well'; readonly isRefused: boolean };

/** One small request in a time of its own, asked for as all others will be. */
export async function probe(
  { providers, seed }: Pick<Scenario, 'providers' | 'seed'>,
  settings: LiveSettings,
  spending: Spending,
  { provider, model, maxTokens, interrupt }: Probed & { readonly interrupt: AbortSignal | undefined },
): Promise<Verdict> {
  const sizes: Sizes = { inputTokens: PROBE_INPUT, maxTokens };
  const objection = spending.objection(sizes);
  if (objection !== undefined) return { kind: 'stopped', why: objection.why };
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
  const late = systemClock.schedule(() => scheduler.stop(), settings.probeMs);
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
  if (interrupt?.aborted) return { kind: 'interrupted' };
  return judged(seen, circumstancesOf(settings));
}

function judged(seen: Heard | undefined, circumstances: Circumstances): Verdict {
  if (seen === undefined) return { kind: 'stopped', why: explain(NOT_IN_TIME, circumstances) };
  if (seen.class === 'throttle' || seen.class === 'overload') return { kind: 'well', isRefused: true };
  const isAnswer = seen.class === 'ok' && (seen.isGenerated || (seen.outputTokens ?? 0) > 0);
  if (isAnswer) return { kind: 'well', isRefused: false };
  const cause = seen.cause ?? oddityOf(seen);
  return { kind: 'stopped', why: explain({ ...seen, cause }, circumstances) };
}

/** Of a success that says nothing: text where a document was to come; undefined where it is one. */
function oddityOf({ status, headers, body }: Heard): string | undefined {
  const contentType = String(headers['content-type'] ?? '');
  const isText = typeof body === 'string' && !/event-stream/i.test(contentType);
  return isText ? causeOf({ status, contentType, body, error: undefined }) : undefined;
}

const NOT_IN_TIME: Heard = {
  ...{ model: '', class: 'transient', cause: 'timeout', status: undefined, headers: {}, body: undefined },
  ...{ isGenerated: false, outputTokens: undefined },
};
