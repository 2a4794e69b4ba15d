/**
 * A provider of a scenario as the mock's server plays it: the same quotas, hints, faults and latencies as in the simulated
 * world, drawn from streams of the same seed. Starts no server.
 */

import { USUAL_OUTPUT_TOKENS } from '@tidegate/providers-mock';
import type { ApiProvider, ModelDraws } from '@tidegate/providers-mock/server';
import type { RandomStreams } from '../kernel/random.js';
import type { LatencySettings, ModelSettings, ProviderSettings } from '../scenario/scenario.js';
import { drawService, samplersOf } from './service-times.js';
import type { Luck } from './transport.js';

/** @param name of the provider, as its streams are labelled. */
export function servedProvider(name: string, settings: ProviderSettings, streams: RandomStreams): ApiProvider {
  const { models, ...provider } = settings;
  const served = Object.entries(models).map(([model, modelSettings]) => [
    model,
    servedModel(`${name}/${model}`, modelSettings, streams),
  ]);
  return { ...provider, models: Object.fromEntries(served) };
}

function servedModel(
  key: string,
  { latency, ...model }: ModelSettings,
  streams: RandomStreams,
): ApiProvider['models'][string] {
  return { ...model, draws: drawsOf(latency, luckOf(key, streams)) };
}

function luckOf(key: string, streams: RandomStreams): Luck {
  const stream = (purpose: string) => streams.stream(`served/${key}/${purpose}`);
  return {
    service: stream('service'),
    prompt: stream('prompt'),
    mode: stream('mode'),
    refusal: stream('refusal'),
    hint: stream('hint'),
    fault: stream('fault'),
  };
}

function drawsOf(latency: LatencySettings, luck: Luck): ModelDraws {
  const samplers = samplersOf(latency);
  return {
    outputTokens: () => USUAL_OUTPUT_TOKENS,
    times: ({ model, inputTokens, cachedTokens = 0, maxTokens }, { outputTokens, inService }) => {
      const attempt = {
        provider: '',
        model,
        inputTokens,
        cachedTokens,
        outputTokens,
        maxTokens,
        luck,
        answered: () => {},
      };
      const { firstTokenMs, totalMs, tellsFirstToken } = drawService(samplers, attempt, inService);
      // Where only the whole time is known, the answer comes at its end.
      return { firstTokenMs: tellsFirstToken ? firstTokenMs : totalMs, totalMs };
    },
    refusalMs: () => samplers.refusalMs(luck.refusal),
    hint: () => luck.hint.next(),
    fault: () => luck.fault.next(),
  };
}
