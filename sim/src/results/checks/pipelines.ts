/**
 * The rules of pipelines: a dispatch finds room under the bound of its stage, in the pool of its host and among the calls
 * of its program; it is refused only where it finds none; a child runs once at a time and settles; budgets act in order.
 */

import type { Scenario } from '../../scenario/scenario.js';
import type { TraceFinished } from '../../trace/events.js';
import type {
  BudgetWarned,
  ChildFacts,
  ChildSettled,
  ChildStopped,
  PipelineChanged,
  PipelineEvent,
  StageDispatched,
  StageRefused,
  TurnInterrupted,
} from '../../trace/pipeline-events.js';
import { breach } from './invariants.js';

type Turn = 'running' | 'warned' | 'interrupted' | 'stopped';

/** Rebuilt from the scenario and the events; 0 = no bound. */
class WatchedPipeline {
  readonly bounds: Map<string, number>;
  maxActive: number;
  maxParallelCalls: number;
  /** Running children, by name. */
  readonly turns = new Map<string, Turn>();
  /** The same, counted by session and stage, and by session. */
  readonly running = new Map<string, number>();
  /** Gone for good. */
  readonly stopped = new Set<string>();

  constructor({ stages, host, maxParallelCalls }: NonNullable<Scenario['workload']['pipelines']>[number]) {
    this.bounds = new Map(stages.map(({ name, maxConcurrency }) => [name, maxConcurrency]));
    this.maxActive = host.maxActive;
    this.maxParallelCalls = maxParallelCalls;
  }

  count(place: string): number {
    return this.running.get(place) ?? 0;
  }

  add(place: string, by: 1 | -1): void {
    this.running.set(place, this.count(place) + by);
  }
}

export class PipelineWatch {
  readonly #pipelines = new Map<string, WatchedPipeline>();

  begin({ workload }: Scenario): void {
    for (const pipeline of workload.pipelines ?? []) this.#pipelines.set(pipeline.id, new WatchedPipeline(pipeline));
  }

  observe(event: PipelineEvent): void {
    const pipeline = this.#pipelines.get(event.run);
    if (pipeline === undefined) breach('pools-have-room', `${event.run} is no pipeline of the scenario`);
    switch (event.type) {
      case 'stage-dispatched':
        dispatched(pipeline, event);
        break;
      case 'stage-refused':
        refused(pipeline, event);
        break;
      case 'child-settled':
        settled(pipeline, event);
        break;
      case 'budget-warned':
      case 'turn-interrupted':
      case 'child-stopped':
        acted(pipeline, event);
        break;
      case 'child-steered':
        if (!pipeline.turns.has(event.agent)) breach('children-end', `${event.agent} is steered and does not run`);
        break;
      case 'pipeline-changed':
        changed(pipeline, event);
        break;
      default:
        event satisfies never;
    }
  }

  end({ stop }: TraceFinished): void {
    if (stop !== 'done') return;
    for (const [id, { turns }] of this.#pipelines) {
      for (const agent of turns.keys())
        breach('children-end', `${turns.size} children of ${id} run, the first is ${agent}`);
    }
  }
}

function placeOf({ session, stage }: ChildFacts): string {
  return JSON.stringify([session, stage]);
}

function sessionOf({ session }: ChildFacts): string {
  return JSON.stringify([session]);
}

function isFull(bound: number, taken: number): boolean {
  return bound > 0 && taken >= bound;
}

/** What has no room for one more. */
function fullOf(pipeline: WatchedPipeline, event: StageDispatched | StageRefused): 'stage' | 'host' | null {
  const bound = pipeline.bounds.get(event.stage) ?? 0;
  // A settled child that goes on needs none of its stage.
  if (event.reason === 'dispatch' && isFull(bound, pipeline.count(placeOf(event)))) return 'stage';
  return isFull(pipeline.maxActive, pipeline.turns.size) ? 'host' : null;
}

function dispatched(pipeline: WatchedPipeline, event: StageDispatched): void {
  const { agent, stage } = event;
  const full = fullOf(pipeline, event);
  if (full !== null) breach('pools-have-room', `${agent} is dispatched, and the ${full} has no room for it`);
  const calls = pipeline.count(sessionOf(event));
  if (isFull(pipeline.maxParallelCalls, calls)) {
    breach('pools-have-room', `${agent} is the call after ${calls} of at most ${pipeline.maxParallelCalls}`);
  }
  if (pipeline.turns.has(agent)) breach('children-end', `${agent} of ${stage} is dispatched and runs already`);
  if (pipeline.stopped.has(agent)) breach('children-end', `${agent} of ${stage} is dispatched and was stopped`);
  pipeline.turns.set(agent, 'running');
  pipeline.add(placeOf(event), 1);
  pipeline.add(sessionOf(event), 1);
}

function refused(pipeline: WatchedPipeline, event: StageRefused): void {
  const full = fullOf(pipeline, event);
  if (full === event.by) return;
  const truth = full === null ? 'there is room' : `it is the ${full} that has none`;
  breach('refused-for-want-of-room', `${event.agent} is refused by the ${event.by}, and ${truth}`);
}

function settled(pipeline: WatchedPipeline, event: ChildSettled): void {
  const { agent, end } = event;
  const turn = pipeline.turns.get(agent);
  if (turn === undefined) breach('children-end', `${agent} settles and does not run`);
  const wasInterrupted = end === 'reported' || end === 'unreported';
  const isFitting = (turn === 'stopped') === (end === 'stopped') && (turn === 'interrupted') === wasInterrupted;
  if (!isFitting) breach('budgets-in-order', `${agent} settles as ${end}, and it was ${turn}`);
  pipeline.turns.delete(agent);
  if (end === 'stopped') pipeline.stopped.add(agent);
  pipeline.add(placeOf(event), -1);
  pipeline.add(sessionOf(event), -1);
}

/** What must have come before, and what it makes of the turn. */
const ACTIONS = {
  'budget-warned': { from: ['running'], to: 'warned' },
  'turn-interrupted': { from: ['running', 'warned'], to: 'interrupted' },
  'child-stopped': { from: ['interrupted'], to: 'stopped' },
} as const satisfies Record<string, { readonly from: readonly Turn[]; readonly to: Turn }>;

function acted({ turns }: WatchedPipeline, { type, agent }: BudgetWarned | TurnInterrupted | ChildStopped): void {
  const { from, to } = ACTIONS[type];
  const turn = turns.get(agent);
  if (!from.some((each) => each === turn))
    breach('budgets-in-order', `${type} of ${agent}, which is ${turn ?? 'settled'}`);
  turns.set(agent, to);
}

function changed(pipeline: WatchedPipeline, { bound, stage, value }: PipelineChanged): void {
  if (bound === 'maxConcurrency') pipeline.bounds.set(stage ?? '', value);
  else pipeline[bound] = value;
}
