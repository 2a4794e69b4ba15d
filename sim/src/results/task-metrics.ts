/**
 * The figures of tasks, tools, contexts and executors, folded out of the trace. What a scenario does not use is not in its
 * summary at all.
 */

import type { Scenario } from '../scenario/scenario.js';
import type { TaskParts } from '../scenario/summary-fields.js';
import type {
  StepStarted,
  TaskEnded,
  TaskEndReason,
  TaskEvent,
  ToolFinished,
  ToolOutcome,
  ToolStarted,
} from '../trace/task-events.js';
import { Latency } from './latency.js';
import { taskPartsOf } from './scenario-facts.js';
import type { ContextFigures, ExecutorFigures, TaskFigures, ToolFigures } from './summary.js';

export interface FiguresOfTasks {
  readonly tasks?: TaskFigures;
  readonly tools?: ToolFigures;
  readonly context?: ContextFigures;
  readonly executors?: ExecutorFigures;
}

export class TaskMetrics {
  readonly #parts: TaskParts;
  readonly #endedBy: Record<TaskEndReason, number> = {
    done: 0,
    steps: 0,
    tokens: 0,
    time: 0,
    'tool-time': 0,
    'context-window': 0,
    'request-lost': 0,
  };
  readonly #duration = new Latency();
  #steps = 0;
  readonly #finished: Record<ToolOutcome, number> = {
    done: 0,
    failed: 0,
    'timed-out': 0,
    'invalid-arguments': 0,
    cut: 0,
  };
  #calls = 0;
  readonly #toolWait = new Latency();
  readonly #late = new Latency();
  #running = 0;
  #mostRunning = 0;
  #resultTokens = 0;
  #compactions = 0;
  readonly #input = { fixed: 0, summary: 0, turns: 0, results: 0, fresh: 0 };
  #summarising = 0;
  #largest = 0;
  readonly #executorWait = new Latency();

  constructor(scenario: Scenario) {
    this.#parts = taskPartsOf(scenario);
  }

  observe(event: TaskEvent): void {
    switch (event.type) {
      case 'step-started':
        this.#stepStarted(event);
        break;
      case 'tool-started':
        if (event.resubmitted === undefined) this.#toolStarted(event);
        break;
      case 'tool-finished':
        this.#toolFinished(event);
        break;
      case 'tool-released':
        this.#late.record(event.lateMs);
        break;
      case 'context-compacted':
        this.#compactions++;
        break;
      case 'task-ended':
        this.#taskEnded(event);
        break;
      default:
        event satisfies never;
    }
  }

  figures(): FiguresOfTasks {
    const { tasks, tools, context, executors } = this.#parts;
    return {
      ...(tasks && { tasks: { steps: this.#steps, endedBy: this.#endedBy, durationMs: this.#duration.figures() } }),
      ...(tools && { tools: this.#toolFigures() }),
      ...(context && { context: this.#contextFigures() }),
      ...(executors && { executors: { waitMs: this.#executorWait.figures() } }),
    };
  }

  #stepStarted({ kind, waitMs, fixed, summary, turns, results, fresh }: StepStarted): void {
    this.#executorWait.record(waitMs);
    const size = fixed + summary + turns + results + fresh;
    this.#largest = Math.max(this.#largest, size);
    if (kind === 'summary') {
      this.#summarising += size;
      return;
    }
    this.#steps++;
    this.#input.fixed += fixed;
    this.#input.summary += summary;
    this.#input.turns += turns;
    this.#input.results += results;
    this.#input.fresh += fresh;
  }

  #toolStarted({ waitMs }: ToolStarted): void {
    this.#calls++;
    this.#running++;
    this.#mostRunning = Math.max(this.#mostRunning, this.#running);
    this.#toolWait.record(waitMs);
  }

  #toolFinished({ outcome, resultTokens }: ToolFinished): void {
    this.#running--;
    this.#finished[outcome]++;
    this.#resultTokens += resultTokens;
  }

  #taskEnded({ reason, durationMs }: TaskEnded): void {
    this.#endedBy[reason]++;
    this.#duration.record(durationMs);
  }

  #toolFigures(): ToolFigures {
    const { done, failed, 'timed-out': timedOut, 'invalid-arguments': invalidArguments, cut } = this.#finished;
    return {
      calls: this.#calls,
      ...{ done, failed, timedOut, invalidArguments, cut },
      runningMax: this.#mostRunning,
      resultTokens: this.#resultTokens,
      waitMs: this.#toolWait.figures(),
      lateMs: this.#late.figures(),
    };
  }

  #contextFigures(): ContextFigures {
    return {
      compactions: this.#compactions,
      largest: this.#largest,
      inputTokens: { ...this.#input, summarising: this.#summarising },
    };
  }
}
