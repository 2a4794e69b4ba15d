/** Every number of a pipeline does something: another value gives another run. */

import { describe, expect, it } from 'vitest';
import { scenarioText, simulate } from '../simulate.js';

const SCENARIO = `
governor: { initial: 6 }
providers:
  acme:
    models:
      m:
        quotas: [{ concurrency: 5 }, { tokens: 60000, per: 1m, counts: input, cached: free }]
        latency: { firstToken: { exponential: { mean: 3s } }, perOutputToken: 20ms }
        retryAfter: exact
workload:
  pipelines:
    - id: p
      target: acme/m
      start: 1s
      maxConcurrency: 7
      timeout: 20s
      sessions: { count: 3, name: "s{n}" }
      host: { maxActive: 6 }
      maxParallelCalls: 4
      step: 5s
      stages:
        - name: a
          children: 5
          maxConcurrency: 2
          rounds: 2
          requests: 5
          tokens: { input: 2000, output: { lognormal: { median: 200, p95: 700 } }, max: 900 }
          tools: { parallel: 2, duration: { exponential: { mean: 1s } } }
          context: { fixed: 900, window: 20000 }
          limits: { steps: 6 }
          followUp: { cachedPrefix: 80%, after: 4s }
          steer: { after: 20s, requests: 1 }
          budget:
            time: 60s
            warnAt: 60%
            finishAfterWarning: 40%
            grace: 13s
            sweep: 5s
            closing: { tokens: { input: 1500, output: { lognormal: { median: 250, p95: 900 } }, max: 1000 } }
        - { name: b, after: [a], children: 2 }
`;

/** What happened, without the settings that the trace begins with. */
async function storyOf(...set: readonly string[]): Promise<string> {
  const { events } = await simulate(scenarioText(SCENARIO, set));
  return JSON.stringify(events.slice(1));
}

const pipeline = 'workload.pipelines[0]';
const stage = `${pipeline}.stages[0]`;

describe('another value gives another run', () => {
  it.each<[string, string]>([
    [`${pipeline}.start`, '2s'],
    [`${pipeline}.maxConcurrency`, '4'],
    [`${pipeline}.timeout`, '8s'],
    [`${pipeline}.sessions.count`, '2'],
    [`${pipeline}.host.maxActive`, '4'],
    [`${pipeline}.maxParallelCalls`, '2'],
    [`${pipeline}.step`, '9s'],
    [`${stage}.children`, '4'],
    [`${stage}.maxConcurrency`, '1'],
    [`${stage}.rounds`, '3'],
    [`${stage}.requests`, '2'],
    [`${stage}.tokens.input`, '2500'],
    [`${stage}.tokens.max`, '300'],
    [`${stage}.tools.parallel`, '3'],
    [`${stage}.context.fixed`, '500'],
    [`${stage}.limits.steps`, '4'],
    [`${stage}.followUp.cachedPrefix`, '20%'],
    [`${stage}.followUp.after`, '7s'],
    [`${stage}.steer.after`, '30s'],
    [`${stage}.steer.requests`, '2'],
    [`${stage}.budget.time`, '50s'],
    [`${stage}.budget.warnAt`, '80%'],
    [`${stage}.budget.finishAfterWarning`, '90%'],
    [`${stage}.budget.grace`, '6s'],
    [`${stage}.budget.sweep`, '3s'],
    [`${stage}.budget.closing.tokens.input`, '1000'],
    [`${stage}.budget.closing.tokens.max`, '200'],
  ])('%s', async (path, value) => {
    expect(await storyOf(`${path}=${value}`)).not.toBe(await storyOf());
  });

  it('of the chance to finish changes nothing before the first warning: the same luck', async () => {
    const [one, other] = await Promise.all([storyOf(), storyOf(`${stage}.budget.finishAfterWarning=90%`)]);
    const firstWarning = one.indexOf('"budget-warned"');
    expect(firstWarning).toBeGreaterThan(1000);
    expect(other.slice(0, firstWarning)).toBe(one.slice(0, firstWarning));
  });
});
