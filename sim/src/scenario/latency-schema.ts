/**
 * How long answers take, as a scenario writes it. Comes out as `LatencySettings`, every default filled in.
 */

import { z } from 'zod';
import type { Distribution } from '../kernel/distribution.js';
import type { Distributions } from './distribution-schema.js';
import { type FieldRule, withRules } from './field-rule.js';
import { expected, number, share, whole } from './quantities.js';
import type { LatencySettings, ServiceSettings } from './scenario.js';

const defaultLatency = { firstToken: 500, perOutputToken: 10, refusal: '50ms' } as const;

const wholeOrParts: FieldRule = {
  field: 'service',
  message: 'takes the place of firstToken, perInputToken and perOutputToken; give one or the other',
  holds: (fields) =>
    !('service' in fields) || !['firstToken', 'perInputToken', 'perOutputToken'].some((name) => name in fields),
};

export function latency({ time }: Distributions): z.ZodType<LatencySettings> {
  const secondMode = withRules(
    z.strictObject(
      {
        share: share().describe('The share of requests that it is about.'),
        service: z.exactOptional(time).describe('Their whole service time.'),
        firstToken: z.exactOptional(time).describe('Their time to the first token.'),
        perInputToken: z.exactOptional(time).describe('Their time per input token, before the first token.'),
        perOutputToken: z.exactOptional(time).describe('Their time per output token.'),
      },
      { error: expected('{ share, firstToken, perInputToken, perOutputToken } or { share, service }') },
    ),
    wholeOrParts,
  );
  const written = z.strictObject(
    {
      service: z.exactOptional(time).describe('The whole service time, instead of firstToken and perOutputToken.'),
      firstToken: z.exactOptional(time).describe(`Time to the first token. Default ${defaultLatency.firstToken}ms.`),
      perInputToken: z.exactOptional(time).describe('Time per input token, before the first token. Default: none.'),
      perOutputToken: z
        .exactOptional(time)
        .describe(`Time per output token. Default ${defaultLatency.perOutputToken}ms.`),
      secondMode: z
        .exactOptional(secondMode)
        .describe('A share of the requests takes other times; what it leaves out is as for the others.'),
      refusal: time.prefault(defaultLatency.refusal).describe('Time until a refusal arrives.'),
      load: anyLoad.prefault({}).describe('How service times grow with the requests in flight. Default: they do not.'),
    },
    { error: expected('a latency: a mapping') },
  );
  return withRules(written, wholeOrParts).transform(({ secondMode: second, refusal, load: loaded, ...first }) => {
    const service = serviceOf(first);
    return {
      service,
      ...(second && { secondMode: { share: second.share, service: secondServiceOf(second, service) } }),
      refusalMs: refusal,
      load: loaded,
    };
  });
}

interface WrittenService {
  readonly service?: Distribution;
  readonly firstToken?: Distribution;
  readonly perInputToken?: Distribution;
  readonly perOutputToken?: Distribution;
}

function serviceOf({ service, firstToken, perInputToken, perOutputToken }: WrittenService): ServiceSettings {
  if (service !== undefined) return { kind: 'service', serviceMs: service };
  return {
    kind: 'tokens',
    firstTokenMs: firstToken ?? { kind: 'constant', value: defaultLatency.firstToken },
    ...(perInputToken && { perInputTokenMs: perInputToken }),
    perOutputTokenMs: perOutputToken ?? { kind: 'constant', value: defaultLatency.perOutputToken },
  };
}

function secondServiceOf(second: WrittenService, first: ServiceSettings): ServiceSettings {
  const { service, firstToken, perInputToken, perOutputToken } = second;
  const saysNothing = firstToken === undefined && perInputToken === undefined && perOutputToken === undefined;
  if (service === undefined && saysNothing) return first;
  const own = serviceOf(second);
  if (own.kind === 'service' || first.kind === 'service') return own;
  return {
    ...first,
    ...(firstToken && { firstTokenMs: firstToken }),
    ...(perInputToken && { perInputTokenMs: perInputToken }),
    ...(perOutputToken && { perOutputTokenMs: perOutputToken }),
  };
}

/** What needs no file is made once, for all scenarios. */
const anyLoad = withRules(
  z.strictObject(
    {
      slope: number({ min: 0 }).prefault(0).describe('Share added per further request in flight. Number ≥ 0.'),
      kneeStart: z
        .exactOptional(whole({ min: 0 }))
        .describe('Requests in flight beyond which times grow exponentially. Whole number ≥ 0. Default: never.'),
      kneeBase: z
        .exactOptional(number({ min: 1 }))
        .describe('Factor per request beyond kneeStart. Number ≥ 1. Belongs to kneeStart.'),
    },
    { error: expected('{ slope, kneeStart, kneeBase }') },
  ),
  {
    message: 'has only one of kneeStart and kneeBase; the knee needs both',
    holds: (fields) => 'kneeStart' in fields === 'kneeBase' in fields,
  },
).transform(({ slope, kneeStart, kneeBase }) => ({ slope, kneeStart: kneeStart ?? null, kneeBase: kneeBase ?? 1 }));
