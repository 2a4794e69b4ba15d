/** Traces of a pipeline written by hand: one function per event, and for every rule of pipelines traces that break it. */

import type { Invariant } from '../../src/results/checks/invariants.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { scenarioText } from '../simulate.js';
import { traceFinished } from './hand-written-trace.js';

export const SCENARIO = scenarioText(`
providers: { acme: { models: { large: {} } } }
workload:
  pipelines:
    - id: p
      target: acme/large
      sessions: { count: 2 }
      host: { maxActive: 3 }
      maxParallelCalls: 2
      stages: [{ name: a, children: 4, maxConcurrency: 1 }, { name: b, children: 4 }]
`);

type Written = Readonly<Record<string, unknown>>;

/** `one a-1`: the child of session one. */
export function event(type: string, child: string, more: Written = {}): TraceEvent {
  const [session = '', name = ''] = child.split(' ');
  const facts = { t: 0, run: 'p', session, stage: name.slice(0, 1), agent: `${session}/${name}` };
  return { type, ...facts, ...more } as TraceEvent;
}

export const dispatched = (child: string, reason = 'dispatch') =>
  event('stage-dispatched', child, { reason, round: 1 });
export const refused = (child: string, by: string) => event('stage-refused', child, { reason: 'dispatch', by });
export const settled = (child: string, end = 'done') => event('child-settled', child, { end });
export const warned = (child: string) => event('budget-warned', child, { elapsedMs: 1, finishes: false });
export const interrupted = (child: string) => event('turn-interrupted', child, { elapsedMs: 1 });
export const stopped = (child: string) => event('child-stopped', child, { elapsedMs: 1 });
export const changed = (bound: string, value: number, stage?: string): TraceEvent =>
  ({ t: 0, type: 'pipeline-changed', run: 'p', bound, value, ...(stage && { stage }) }) as TraceEvent;

/** The rule that the last event breaks, how, and all events after the beginning. */
export const BROKEN: readonly (readonly [Invariant, string, readonly TraceEvent[]])[] = [
  ['pools-have-room', 'over the bound of its stage', [dispatched('one a-1'), dispatched('one a-2')]],
  [
    'pools-have-room',
    'over the pool of the host',
    [dispatched('one b-1'), dispatched('one b-2'), dispatched('two b-1'), dispatched('two b-2')],
  ],
  [
    'pools-have-room',
    'more calls than its program may make',
    [changed('maxActive', 0), dispatched('one b-1'), dispatched('one b-2'), dispatched('one b-3')],
  ],
  [
    'pools-have-room',
    'over a bound that was lowered',
    [changed('maxConcurrency', 1, 'b'), dispatched('one b-1'), dispatched('one b-2')],
  ],
  ['refused-for-want-of-room', 'refused with room', [refused('one a-1', 'stage')]],
  ['refused-for-want-of-room', 'refused by the wrong one', [dispatched('one a-1'), refused('one a-2', 'host')]],
  [
    'refused-for-want-of-room',
    'refused by a bound that was raised',
    [dispatched('one a-1'), changed('maxConcurrency', 2, 'a'), refused('one a-2', 'stage')],
  ],
  ['children-end', 'dispatched while it runs', [dispatched('one b-1'), dispatched('one b-1')]],
  ['children-end', 'settled while it does not run', [settled('one b-1')]],
  ['children-end', 'steered while it does not run', [event('child-steered', 'one b-1', { requests: 1 })]],
  [
    'children-end',
    'dispatched after a hard stop',
    [
      dispatched('one b-1'),
      interrupted('one b-1'),
      stopped('one b-1'),
      settled('one b-1', 'stopped'),
      dispatched('one b-1', 'follow-up'),
    ],
  ],
  ['children-end', 'running when all is done', [dispatched('one b-1'), traceFinished(0)]],
  ['budgets-in-order', 'warned twice', [dispatched('one b-1'), warned('one b-1'), warned('one b-1')]],
  [
    'budgets-in-order',
    'warned after its interrupt',
    [dispatched('one b-1'), interrupted('one b-1'), warned('one b-1')],
  ],
  ['budgets-in-order', 'interrupted while it is settled', [interrupted('one b-1')]],
  ['budgets-in-order', 'stopped without an interrupt', [dispatched('one b-1'), stopped('one b-1')]],
  [
    'budgets-in-order',
    'done in spite of its interrupt',
    [dispatched('one b-1'), interrupted('one b-1'), settled('one b-1')],
  ],
  ['budgets-in-order', 'reported without one', [dispatched('one b-1'), settled('one b-1', 'reported')]],
];
