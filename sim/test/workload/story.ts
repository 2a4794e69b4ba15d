/** The scenarios of the workload tests, and what happened in them as short lines. */

import type { TraceEvent } from '../../src/trace/events.js';
import { type Simulated, scenarioText, simulate } from '../simulate.js';

/** One run `r` of `acme/large`, every answer after a second unless the model says otherwise. */
export function scenario({
  agents,
  run = '',
  model = 'latency: { service: 1s }',
  workload = '',
  governor = '{}',
  more = '',
}: {
  readonly agents: string;
  readonly run?: string;
  readonly model?: string;
  readonly workload?: string;
  readonly governor?: string;
  readonly more?: string;
}): string {
  return `
governor: ${governor}
providers: { acme: { models: { large: { ${model} } } } }
workload:
  ${workload === '' ? '' : `${workload}`}
  runs:
    - { id: r, target: acme/large${run === '' ? '' : `, ${run}`}, agents: { ${agents} } }
${more}
`;
}

export function runOf(text: string, set: readonly string[] = []): Promise<Simulated> {
  return simulate(scenarioText(text, set));
}

/** Seconds, what, and the facts that say which: `1 tool-started 1.2`. */
export function story(events: readonly TraceEvent[], ...types: readonly TraceEvent['type'][]): readonly string[] {
  return events.filter(({ type }) => types.includes(type)).map((event) => `${event.t / 1000} ${lineOf(event)}`);
}

function lineOf(event: TraceEvent): string {
  switch (event.type) {
    case 'step-started':
      return `step ${event.step}${event.kind === 'summary' ? ' summary' : ''}: ${event.fixed}+${event.summary}+${event.turns}+${event.results}+${event.fresh}`;
    case 'tool-started':
      return `tool ${event.step}.${event.call}${event.resubmitted ? ' again' : ''}`;
    case 'tool-finished':
      return `tool ${event.step}.${event.call} ${event.outcome} ${event.resultTokens}`;
    case 'tool-released':
      return `tool ${event.step}.${event.call} released`;
    case 'context-compacted':
      return `compacted ${event.before} to ${event.after}`;
    case 'task-ended':
      return `task ${event.task} ${event.reason} after ${event.steps}`;
    case 'request-queued':
      return `queued ${event.id}.${event.attempt}`;
    case 'request-admitted':
      return `admitted ${event.id}.${event.attempt}`;
    case 'request-settled':
      return `${event.outcome} ${event.id}.${event.attempt}`;
    default:
      return event.type;
  }
}

/** What happened, without the settings that the trace begins with. */
export async function storyOf(text: string, set: readonly string[] = []): Promise<string> {
  const { events } = await runOf(text, set);
  return JSON.stringify(events.slice(1));
}
