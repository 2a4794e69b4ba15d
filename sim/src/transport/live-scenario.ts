/**
 * A scenario as it can be run against a real endpoint: what only a mock can do is taken out, and said. Pure; the scenario
 * that comes out is what the trace carries.
 */

import type { Scenario } from '../scenario/scenario.js';

export interface LiveScenario {
  readonly scenario: Scenario;
  /** What is different from the scenario as written, a sentence each. */
  readonly notes: readonly string[];
}

/** For attempts to which the scenario gives no end: a stream that never ends would hold its slot for ever. */
const LONGEST_ATTEMPT_MS = 600_000;

export function liveScenario(scenario: Scenario): LiveScenario {
  const changes = scenario.timeline.filter(({ kind }) => kind === 'set').length;
  const judged = scenario.expect.filter(({ path }) => !/^providers\b/.test(path));
  const unjudged = scenario.expect.length - judged.length;
  const { runs, pipelines, arrivals, observers } = scenario.workload;
  const callers = [...runs, ...(pipelines ?? []), ...(arrivals ?? []), ...(observers ?? [])];
  const isEndless = callers.some(({ timeoutMs }) => timeoutMs === null);
  return {
    scenario: {
      ...scenario,
      workload: {
        ...scenario.workload,
        runs: runs.map(bounded),
        ...(pipelines && { pipelines: pipelines.map(bounded) }),
        ...(arrivals && { arrivals: arrivals.map(bounded) }),
        ...(observers && { observers: observers.map(bounded) }),
      },
      timeline: scenario.timeline.filter(({ kind }) => kind !== 'set'),
      expect: judged,
    },
    notes: [
      ...(changes > 0
        ? [`${changes} changes of the provider in the timeline are left out: a real one changes by itself`]
        : []),
      ...(unjudged > 0
        ? [`${unjudged} expectations of providers[…] are not judged: a real one shows nobody its books`]
        : []),
      ...(isEndless ? ['attempts without a timeout get one of 10 minutes'] : []),
    ],
  };
}

function bounded<T extends { readonly timeoutMs: number | null }>(caller: T): T {
  return caller.timeoutMs === null ? { ...caller, timeoutMs: LONGEST_ATTEMPT_MS } : caller;
}
