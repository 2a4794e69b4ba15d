/**
 * The work that a trace shows, as a scenario writes it: per run its bound, its subagents and how much each asked for; per
 * source of requests without a run its rate. Sizes are those that were seen, thinned.
 */

import { formatDuration } from '../scenario/duration.js';
import type { TraceEvent } from '../trace/events.js';

interface Seen {
  readonly key: string;
  readonly startMs: number;
  bound: number | null;
  lastMs: number;
  requests: number;
  readonly agents: Set<string>;
  readonly isObserver: boolean;
  readonly input: number[];
  readonly output: number[];
}

export class WorkloadFit {
  readonly #starts = new Map<string, { readonly t: number; readonly bound: number }>();
  readonly #runs = new Map<string, Seen>();
  readonly #open = new Map<string, Seen>();

  observe(event: TraceEvent): void {
    if (event.type === 'run-started') this.#starts.set(event.run, { t: event.t, bound: event.bound });
    if (event.type === 'request-queued' && event.attempt === 1) this.#queued(event);
    if (event.type === 'request-settled' && event.inputTokens !== undefined && event.outputTokens !== undefined) {
      const seen = this.#of(event);
      seen?.input.push(event.inputTokens);
      seen?.output.push(event.outputTokens);
    }
  }

  /** @param maxTokens of a key, as it was sent. */
  written(maxTokens: (key: string) => number | null): object {
    const tokens = ({ key, input, output }: Seen): object => {
      const max = maxTokens(key);
      return { input: sizes(input), output: sizes(output), ...(max !== null && { max }) };
    };
    const runs = [...this.#runs].map(([id, seen]) => ({
      ...{ id, target: seen.key, start: formatDuration(seen.startMs) },
      ...(seen.bound !== null && { maxConcurrency: seen.bound }),
      agents: {
        count: seen.agents.size,
        name: `${id}-{n}`,
        requests: Math.max(1, Math.round(seen.requests / seen.agents.size)),
        tokens: tokens(seen),
      },
    }));
    const open = (isObserver: boolean): readonly object[] =>
      [...this.#open.entries()]
        .filter(([, seen]) => seen.isObserver === isObserver)
        .map(([id, seen]) => ({
          ...{ id, target: seen.key, start: formatDuration(seen.startMs) },
          rate: rateOf(seen),
          ...{ process: 'poisson', count: seen.requests, tokens: tokens(seen) },
        }));
    const [arrivals, observers] = [open(false), open(true)];
    return {
      ...(runs.length > 0 && { runs }),
      ...(arrivals.length > 0 && { arrivals }),
      ...(observers.length > 0 && { observers }),
    };
  }

  #queued({ t, key, run, agent = 'any', observer }: Extract<TraceEvent, { type: 'request-queued' }>): void {
    const start = run === undefined ? undefined : this.#starts.get(run);
    const group = run === undefined ? this.#open : this.#runs;
    const id = run ?? agent;
    let seen = group.get(id);
    if (seen === undefined) {
      seen = {
        ...{ key, startMs: start?.t ?? t, bound: start?.bound ?? null, lastMs: t, requests: 0 },
        ...{ agents: new Set(), isObserver: observer === true, input: [], output: [] },
      };
      group.set(id, seen);
    }
    seen.requests++;
    seen.lastMs = t;
    seen.agents.add(agent);
  }

  #of({ run, agent = 'any' }: Extract<TraceEvent, { type: 'request-settled' }>): Seen | undefined {
    return run === undefined ? this.#open.get(agent) : this.#runs.get(run);
  }
}

const MOST_SIZES = 60;

/** One number where all are the same; else as many as show their spread, in order of size. */
function sizes(seen: readonly number[]): unknown {
  const sorted = [...seen].sort((a, b) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return 0;
  if (low === high) return low;
  const count = Math.min(MOST_SIZES, sorted.length);
  return {
    empirical: Array.from({ length: count }, (_, i) => sorted[Math.floor(((i + 0.5) / count) * sorted.length)]),
  };
}

function rateOf({ requests, startMs, lastMs }: Seen): string {
  const perSecond = requests < 2 || lastMs === startMs ? 1 : (requests - 1) / ((lastMs - startMs) / 1000);
  return `${perSecond.toFixed(6)}/s`;
}
