/**
 * What goes wrong at a provider besides its quotas, as a scenario writes it: faults, overload, and a server with too few
 * places. Comes out in the shapes of @tidegate/providers-mock.
 */

import type { FaultKind, FaultSpec, OverloadSpec, ServerSpec } from '@tidegate/providers-mock';
import { FAULT_EFFECTS } from '@tidegate/providers-mock';
import { z } from 'zod';
import { withRules } from './field-rule.js';
import { duration, expected, meanTime, oneOf, share, whole } from './quantities.js';

const faultKinds = Object.keys(FAULT_EFFECTS) as [FaultKind, ...FaultKind[]];

const fault = withRules(
  z.strictObject(
    {
      kind: oneOf(faultKinds).describe('What goes wrong.'),
      rate: z
        .exactOptional(share())
        .describe('The share of requests that it befalls. Default, with from or to: all of them.'),
      from: z.exactOptional(duration()).describe('From this time of the run on. Default: from the start.'),
      to: z.exactOptional(duration({ positive: true })).describe('Until just before this time. Default: to the end.'),
    },
    { error: expected('a fault, as { kind: status-503, rate: 1% }') },
  ),
  {
    message: 'says neither how often nor when; give rate, or from and to',
    holds: (fields) => ['rate', 'from', 'to'].some((name) => name in fields),
  },
  {
    field: 'to',
    message: 'must be after from',
    holds: ({ from, to }) => typeof from !== 'number' || typeof to !== 'number' || to > from,
  },
).transform(({ kind, rate, from, to }) => ({ kind, rate: rate ?? 1, fromMs: from ?? null, toMs: to ?? null }));

const anyFaults = z.array(fault, { error: expected('a list of faults') });

export function faults(): z.ZodType<readonly FaultSpec[]> {
  return anyFaults;
}

const anyOverload = z
  .strictObject(
    {
      every: meanTime().describe('The mean time between two episodes. A duration of at least 1ms.'),
      for: meanTime().describe('The mean length of one. A duration of at least 1ms.'),
      share: share({ positive: true })
        .prefault('100%')
        .describe('The share of requests that an episode refuses. Above 0%.'),
      status: z
        .union([z.literal(503), z.literal(529)], { error: expected('503 or 529') })
        .prefault(529)
        .describe('The status of such a refusal: 503 or 529.'),
    },
    { error: expected('{ every, for, share, status }') },
  )
  .transform((written) => ({
    everyMs: written.every,
    forMs: written.for,
    share: written.share,
    status: written.status,
  }));

export function overload(): z.ZodType<OverloadSpec> {
  return anyOverload;
}

const queueError = expected('a whole number ≥ 0 or unlimited');

const anyServer = z
  .strictObject(
    {
      slots: whole({ min: 1 }).describe('Requests that it works on at once. Whole number ≥ 1.'),
      queue: z
        .union([whole({ min: 0 }), z.literal('unlimited')], { error: queueError })
        .prefault('unlimited')
        .describe('Requests that may wait; one more is refused with 503. Whole number ≥ 0 or unlimited.'),
      keepAlive: z
        .exactOptional(duration({ positive: true }))
        .describe(
          'Over HTTP a request that waits gets its head at once and bytes without meaning this often: blank lines, in a stream comments. Default: it waits in silence.',
        ),
    },
    { error: expected('{ slots, queue }') },
  )
  .transform(({ slots, queue, keepAlive }) => ({
    server: { slots, queue: queue === 'unlimited' ? null : queue },
    ...(keepAlive !== undefined && { keepAliveMs: keepAlive }),
  }));

/** The server, and how it keeps those alive who wait. */
export function server(): z.ZodType<{ readonly server: ServerSpec; readonly keepAliveMs?: number }> {
  return anyServer;
}
