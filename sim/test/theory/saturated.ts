/** A provider that never waits for work: the scenario that control laws are measured on, and its figures. */

import { Checks } from '../../src/results/checks.js';
import { type MeasureFigures, Measures } from '../../src/results/measures/measures.js';
import { run } from '../../src/run.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { simulatedWorld } from '../../src/transport/world.js';
import { scenarioText } from '../simulate.js';

export interface Saturated {
  /** Of the governor, in flow style. */
  readonly governor: string;
  /** Where the cap starts, and the bound of each of `runs` runs. */
  readonly initial: number;
  readonly runs: number;
  /** Of the model, in flow style. */
  readonly model: string;
  readonly wire?: 'openai' | 'anthropic' | 'gemini';
  readonly tokens?: string;
  readonly timeline?: string;
  readonly dropS: number;
  readonly lengthS: number;
  readonly seed?: number;
}

/** A bound that nobody stated seeds nothing, so that the cap starts at `initial` with more work than it can ever hold. */
export function saturatedText(setting: Saturated): string {
  const { governor, initial, runs, model, wire = 'openai', tokens, timeline, lengthS, seed = 1 } = setting;
  const agents = `{ count: ${initial}, name: 'a-{n}', requests: 1000000${tokens === undefined ? '' : `, tokens: ${tokens}`} }`;
  const each = Array.from({ length: runs }, (_, n) => `    - { id: r${n}, target: acme/large, agents: ${agents} }`);
  return `
seed: ${seed}
governor: { initial: ${initial}, retry: { firstDelay: 0, maxDelay: 0 }, ${governor} }
providers: { acme: { wire: ${wire}, models: { large: ${model} } } }
workload:
  runs:
${each.join('\n')}
${timeline === undefined ? '' : `timeline: ${timeline}\n`}stop: { when: time, after: ${lengthS}s }
`;
}

/** @throws InvariantBroken when a check of the run does not hold. */
export async function measure(setting: Saturated, observe?: (event: TraceEvent) => void): Promise<MeasureFigures> {
  const scenario = scenarioText(saturatedText(setting));
  const checks = new Checks();
  const measures = new Measures({ fromMs: setting.dropS * 1000 });
  const world = simulatedWorld(scenario);
  try {
    await run({
      scenario,
      world,
      version: 'test',
      observe(event) {
        checks.observe(event);
        measures.observe(event);
        observe?.(event);
      },
    });
  } finally {
    await world.close();
  }
  return measures.figures();
}
