/**
 * What a live run will roughly send: the same scenario, run first in virtual time against its own mock. Nothing of it is
 * kept but counts.
 */

import { Metrics } from '../results/metrics.js';
import { run } from '../run.js';
import { isModulePath } from '../scenario/controllers.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Attempt } from '../transport/transport.js';
import { simulatedWorld, type World } from '../transport/world.js';

export interface Survey {
  /** Requests, and attempts with their retries, as the mock refused. */
  readonly requests: number;
  readonly attempts: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly makespanMs: number;
  /** Of one request. */
  readonly largestInput: number;
  readonly largestMax: number;
  /** All that are asked, `provider/model` each. */
  readonly targets: readonly string[];
  /** Whom the first request asks; undefined where nothing is asked. */
  readonly first: Pick<Attempt, 'provider' | 'model' | 'maxTokens'> | undefined;
  /** False: it was given up early, and all counts are too low. */
  readonly isWhole: boolean;
}

/** Real time; what is longer is a scenario of millions of requests. */
const PATIENCE_MS = 5_000;

export async function survey(scenario: Scenario, version: string): Promise<Survey> {
  const seen = { largestInput: 0, largestMax: 0 };
  let first: Survey['first'];
  const targets = new Set<string>();
  const { governor } = scenario;
  // What somebody's own controller would do is theirs to know; the reference stands in for it.
  const controller = isModulePath(governor.controller) ? 'aimd' : governor.controller;
  const rehearsed = { ...scenario, governor: { ...governor, controller } };
  const inner = simulatedWorld(scenario);
  const world: World = {
    ...inner,
    transport: {
      send(attempt) {
        const { provider, model, inputTokens, maxTokens } = attempt;
        first ??= { provider, model, maxTokens };
        targets.add(`${provider}/${model}`);
        seen.largestInput = Math.max(seen.largestInput, inputTokens);
        seen.largestMax = Math.max(seen.largestMax, maxTokens);
        return inner.transport.send(attempt);
      },
      ledger: () => inner.transport.ledger(),
    },
  };
  const metrics = new Metrics();
  const interrupt = AbortSignal.timeout(PATIENCE_MS);
  await run({ scenario: rehearsed, world, version, interrupt, observe: (event) => metrics.observe(event) });
  const { requests, tokens, makespanMs } = metrics.figures();
  return {
    requests: requests.logical,
    attempts: requests.attempts,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    makespanMs: makespanMs ?? 0,
    ...seen,
    targets: [...targets],
    first,
    isWhole: !interrupt.aborted,
  };
}
