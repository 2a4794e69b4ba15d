/**
 * How long an answer takes in the simulated world: drawn from the attempt's own streams, so that a setting that is turned
 * on or off shifts no draw of another.
 */

import { type LoadSpec, loadFactor, underLoad } from '@tidegate/providers-mock';
import { type Sampler, sampler } from '../kernel/distribution.js';
import type { RandomStream } from '../kernel/random.js';
import type { LatencySettings, ServiceSettings } from '../scenario/scenario.js';
import type { Attempt } from './transport.js';

export interface LatencySamplers {
  readonly load: LoadSpec;
  readonly refusalMs: Sampler;
  readonly service: ServiceSamplers;
  readonly secondMode: { readonly share: number; readonly service: ServiceSamplers } | null;
}

interface ServiceSamplers {
  /** Of the whole answer, or of the first token; then of each token before and after it. */
  readonly firstMs: Sampler;
  readonly perInputTokenMs: Sampler | null;
  readonly perOutputTokenMs: Sampler;
  readonly tellsFirstToken: boolean;
}

/** From the moment it is worked on, in ms. */
export interface ServiceTimes {
  readonly firstTokenMs: number;
  readonly totalMs: number;
  /** False where only the whole is known, and `firstTokenMs` says nothing. */
  readonly tellsFirstToken: boolean;
}

const NOTHING = { kind: 'constant', value: 0 } as const;

export function samplersOf({ service, secondMode, refusalMs, load }: LatencySettings): LatencySamplers {
  return {
    load,
    refusalMs: sampler(refusalMs),
    service: serviceSamplers(service),
    secondMode:
      secondMode === undefined ? null : { share: secondMode.share, service: serviceSamplers(secondMode.service) },
  };
}

function serviceSamplers(service: ServiceSettings): ServiceSamplers {
  if (service.kind === 'service') {
    return {
      firstMs: sampler(service.serviceMs),
      perInputTokenMs: null,
      perOutputTokenMs: sampler(NOTHING),
      tellsFirstToken: false,
    };
  }
  const { firstTokenMs, perInputTokenMs, perOutputTokenMs } = service;
  return {
    firstMs: sampler(firstTokenMs),
    perInputTokenMs: perInputTokenMs === undefined ? null : sampler(perInputTokenMs),
    perOutputTokenMs: sampler(perOutputTokenMs),
    tellsFirstToken: true,
  };
}

/** @param inService requests worked on, this one included. */
export function drawService(latency: LatencySamplers, attempt: Attempt, inService: number): ServiceTimes {
  const factor = loadFactor(latency.load, inService);
  // Only what is drawn from is asked for: a request of its own makes each of its streams when it is first wanted.
  const { luck } = attempt;
  const { service, secondMode } = latency;
  const prompt = service.perInputTokenMs === null ? luck.service : luck.prompt;
  const first = drawnTimes(service, attempt, factor, luck.service, prompt);
  if (secondMode === null) return first;
  const { mode } = luck;
  const isSecond = mode.next() < secondMode.share;
  const second = drawnTimes(secondMode.service, attempt, factor, mode, mode);
  return isSecond ? second : first;
}

/** Both samplers of a service draw whatever its form, so that the form shifts no later draw of this subagent. */
function drawnTimes(
  { firstMs, perInputTokenMs, perOutputTokenMs, tellsFirstToken }: ServiceSamplers,
  { inputTokens, cachedTokens, outputTokens }: Attempt,
  factor: number,
  stream: RandomStream,
  prompt: RandomStream,
): ServiceTimes {
  const firstTokenMs = firstMs(stream);
  const afterMs = perOutputTokenMs(stream) * outputTokens;
  const beforeMs = perInputTokenMs === null ? 0 : perInputTokenMs(prompt) * (inputTokens - cachedTokens);
  return {
    firstTokenMs: underLoad(firstTokenMs + beforeMs, factor),
    totalMs: underLoad(firstTokenMs + beforeMs + afterMs, factor),
    tellsFirstToken,
  };
}
