/** The tools of an agent as a scenario writes them. Comes out as `ToolsSettings`, every default filled in. */

import { z } from 'zod';
import type { Distributions } from './distribution-schema.js';
import { duration, expected, flag, oneOf, share, whole } from './quantities.js';
import type { ToolsSettings } from './task-settings.js';

/** Each is held in memory while its step lasts. */
const MOST_CALLS = 1000;
const MOST_TOKENS = 1_000_000_000;

export function tools(distributions: Distributions): z.ZodType<ToolsSettings> {
  const times = {
    duration: distributions.time.prefault('1s').describe('How long a call works. A distribution; default 1s.'),
    timeout: duration({ positive: true })
      .prefault('30s')
      .describe('Of one call; stands still while a model request inside it queues. Above 0; default 30s.'),
    taskTimeout: duration({ positive: true })
      .prefault('5m')
      .describe('Of all waiting for tools in one ask, which then ends. Above 0; default 5m.'),
  };
  const counts = {
    per: oneOf(['request']).prefault('request').describe('When they are called: after each model request.'),
    parallel: whole({ min: 1, max: MOST_CALLS })
      .prefault(1)
      .describe('Calls after each request. Whole number from 1 to 1000; default 1.'),
    atOnce: whole({ min: 1, max: MOST_CALLS })
      .prefault(3)
      .describe('Calls of one agent at the same time. Whole number from 1 to 1000; default 3.'),
    modelRequests: whole({ min: 0, max: MOST_CALLS })
      .prefault(0)
      .describe('Model requests inside each call, before its own work. Whole number from 0 to 1000; default 0.'),
  };
  const troubles = {
    invalidArguments: share()
      .prefault(0)
      .describe('Share of the calls with invalid arguments: they cost another request. Default 0%.'),
    conflicts: share()
      .prefault(0)
      .describe('Share of the calls of which one agent runs only one at a time. Default 0%.'),
    cancellable: flag()
      .prefault(false)
      .describe('Whether a call that timed out stops; if not, it runs on and keeps its place. Default false.'),
  };
  const results = {
    resultTokens: z
      .exactOptional(distributions.tokens)
      .describe('Tokens of a result: input of the next request. Default: evenly from 0 to maxResultTokens.'),
    maxResultTokens: whole({ min: 0, max: MOST_TOKENS })
      .prefault(2000)
      .describe('A longer result is cut to it. Whole number ≥ 0; default 2000.'),
  };
  return z
    .strictObject(
      { ...counts, ...times, ...troubles, ...results },
      { error: expected('a mapping, as { parallel: 2, duration: 3s }') },
    )
    .transform(
      ({
        duration: durationMs,
        timeout: timeoutMs,
        taskTimeout: taskTimeoutMs,
        resultTokens,
        maxResultTokens,
        ...written
      }) => ({
        ...written,
        durationMs,
        timeoutMs,
        taskTimeoutMs,
        resultTokens: resultTokens ?? { kind: 'uniform' as const, min: 0, max: maxResultTokens },
        maxResultTokens,
      }),
    );
}
