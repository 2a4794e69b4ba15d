/**
 * How short the makespan of a closed network could have been, whatever had governed it: the longest of its critical path
 * (what one agent, one run after another, has to do in turn), of its work by what a provider takes at once, and of its
 * requests or tokens by what a quota gives in time: `max(critical path, work / limit, (requests - burst) / rate)`. Folded
 * out of the trace: the work is what the successes took. Each of the three holds for any schedule of this work, so the
 * makespan is never below; limits that the timeline or the provider moves count by their highest value.
 */

import type { ProviderSettings, QuotaSettings, RunSettings, Scenario } from '../scenario/scenario.js';
import type { RequestQueued, RequestSettled, TraceEvent } from '../trace/events.js';
import { keysAsked, scenarioOf } from './scenario-facts.js';

export interface MakespanBound {
  readonly ms: number;
  readonly kind: 'critical path' | 'work' | 'rate';
  /** The run or caller whose path it is; the quota, with what it limits. */
  readonly by: string;
}

/** What the successes of one key took. */
interface Used {
  workMs: number;
  requests: number;
  input: number;
  /** Of these, out of the prompt cache. */
  cached: number;
  output: number;
}

/** One agent: how long it has had a success under way, and when its latest one ended. */
interface Path {
  busyMs: number;
  endedAt: number;
}

export class MakespanBounds {
  #scenario: Scenario | undefined;
  readonly #used = new Map<string, Used>();
  /** By run, then by agent. */
  readonly #paths = new Map<string, Map<string, Path>>();
  /** When successors and pipelines began; the scenario says it of the other runs. */
  readonly #began = new Map<string, number>();
  /** Of requests without a run: when they came. */
  readonly #arrived = new Map<number, number>();
  /** The longest of them, from the start of the run to its answer. */
  #arrival: MakespanBound | undefined;

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'trace-started':
        this.#scenario = scenarioOf(event);
        break;
      case 'run-started':
        this.#began.set(event.run, event.t);
        break;
      case 'request-queued':
        this.#queued(event);
        break;
      case 'request-settled':
        this.#settled(event);
        break;
    }
  }

  /** Undefined where nothing succeeded. */
  bound(): MakespanBound | undefined {
    const scenario = this.#scenario;
    if (scenario === undefined) return undefined;
    const all = [...this.#criticalPaths(scenario), ...this.#quotaBounds(scenario)];
    if (this.#arrival !== undefined) all.push(this.#arrival);
    const longest = all.reduce((best, one) => (one.ms > best.ms ? one : best), NOTHING);
    // Whole microseconds, as all times of a trace; down, because a bound must stay one.
    return longest.ms > 0 ? { ...longest, ms: Math.floor(longest.ms * 1000) / 1000 } : undefined;
  }

  #queued({ t, id, attempt, run }: RequestQueued): void {
    if (run === undefined && attempt === 1) this.#arrived.set(id, t);
  }

  #settled(event: RequestSettled): void {
    const { t, id, run, agent, outcome, serviceMs, lost } = event;
    const arrivedAt = run === undefined ? this.#arrived.get(id) : undefined;
    if (outcome === 'succeeded' || lost === true) this.#arrived.delete(id);
    if (outcome !== 'succeeded') return;
    this.#use(event);
    if (run !== undefined) {
      this.#follow(run, agent ?? '', t, serviceMs);
    } else if (arrivedAt !== undefined && arrivedAt + serviceMs > (this.#arrival?.ms ?? 0)) {
      this.#arrival = { ms: arrivedAt + serviceMs, kind: 'critical path', by: agent ?? 'the last to come' };
    }
  }

  #use({ key, serviceMs, inputTokens = 0, cachedTokens = 0, outputTokens = 0 }: RequestSettled): void {
    let used = this.#used.get(key);
    if (used === undefined) {
      used = { workMs: 0, requests: 0, input: 0, cached: 0, output: 0 };
      this.#used.set(key, used);
    }
    used.workMs += serviceMs;
    used.requests++;
    used.input += inputTokens;
    used.cached += cachedTokens;
    used.output += outputTokens;
  }

  /** Of requests that overlap, as those inside tools do, only the time that each adds counts. */
  #follow(run: string, agent: string, t: number, serviceMs: number): void {
    let agents = this.#paths.get(run);
    if (agents === undefined) {
      agents = new Map();
      this.#paths.set(run, agents);
    }
    let path = agents.get(agent);
    if (path === undefined) {
      path = { busyMs: 0, endedAt: 0 };
      agents.set(agent, path);
    }
    path.busyMs += Math.max(0, t - Math.max(path.endedAt, t - serviceMs));
    path.endedAt = t;
  }

  /** Of each run: its start at the earliest, and its busiest agent. */
  #criticalPaths({ workload }: Scenario): readonly MakespanBound[] {
    const runs = new Map(workload.runs.map((settings) => [settings.id, settings]));
    const ends = new Map<string, number>();
    const endOf = (id: string): number => {
      let end = ends.get(id);
      if (end === undefined) {
        end = this.#startOf(id, runs.get(id), endOf) + this.#busiest(id);
        ends.set(id, end);
      }
      return end;
    };
    return [...this.#paths.keys()].map((run) => ({ ms: endOf(run), kind: 'critical path', by: run }));
  }

  #startOf(id: string, settings: RunSettings | undefined, endOf: (id: string) => number): number {
    if (settings === undefined) return this.#began.get(id) ?? 0;
    const { after = [], startMs } = settings;
    return startMs + after.reduce((latest, before) => Math.max(latest, endOf(before)), 0);
  }

  #busiest(run: string): number {
    let most = 0;
    for (const { busyMs } of this.#paths.get(run)?.values() ?? []) most = Math.max(most, busyMs);
    return most;
  }

  #quotaBounds(scenario: Scenario): readonly MakespanBound[] {
    const keys = keysAsked(scenario);
    return quotasOf(scenario, keys).flatMap(({ quota, moved, keys: shared }) => {
      const used = shared.flatMap((key) => this.#used.get(key) ?? []).reduce(sum, NO_USE);
      const ms = quotaMs(quota, moved, used);
      if (ms === undefined) return [];
      const kind = quota.kind === 'concurrency' ? 'work' : 'rate';
      return [{ ms, kind, by: `quota "${quota.name}" of ${shared.join(', ')}` } as const];
    });
  }
}

const NOTHING: MakespanBound = { ms: 0, kind: 'critical path', by: '' };
const NO_USE: Used = { workMs: 0, requests: 0, input: 0, cached: 0, output: 0 };

function sum(a: Used, b: Used): Used {
  return {
    workMs: a.workMs + b.workMs,
    requests: a.requests + b.requests,
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
  };
}

interface Limited {
  readonly quota: QuotaSettings;
  /** As it becomes by and by. */
  readonly moved: readonly QuotaSettings[];
  /** That share it. */
  readonly keys: readonly string[];
}

function quotasOf({ providers, timeline }: Scenario, keys: readonly string[]): readonly Limited[] {
  return Object.entries(providers).flatMap(([name, settings]) => {
    const states = timeline.flatMap((entry) =>
      entry.kind === 'set' && entry.provider === name ? [entry.becomes] : [],
    );
    const limited = (of: (state: ProviderSettings) => readonly QuotaSettings[], shared: readonly string[]) =>
      of(settings).map((quota, i) => ({ quota, moved: states.flatMap((state) => of(state)[i] ?? []), keys: shared }));
    const own = keys.filter((key) => key.startsWith(`${name}/`));
    return [
      ...limited(({ quotas }) => quotas, own),
      ...own.flatMap((key) => limited(({ models }) => models[key.slice(name.length + 1)]?.quotas ?? [], [key])),
    ];
  });
}

/** The least time in which the quota lets so much through; undefined where that cannot be said. */
function quotaMs(quota: QuotaSettings, moved: readonly QuotaSettings[], used: Used): number | undefined {
  if (quota.kind === 'ramp') return undefined;
  const most = (of: (state: QuotaSettings) => number): number => Math.max(...[quota, ...moved].map(of));
  const limit = most(highest);
  if (limit === 0) return undefined;
  if (quota.kind === 'concurrency') return used.workMs / limit;
  const amount = quota.kind === 'requests' ? used.requests : tokensOf(quota, used);
  if (amount === undefined) return undefined;
  const perMs = Math.min(...[quota, ...moved].map((state) => ('perMs' in state ? state.perMs : quota.perMs)));
  return Math.max(0, ((amount - most(atOnce)) * perMs) / limit);
}

/** The limit, as it stands or as a schedule or growth may have it. */
function highest(quota: QuotaSettings): number {
  if (quota.kind === 'ramp') return quota.limit;
  const scheduled = quota.schedule?.map(({ limit }) => limit) ?? [];
  const grown = quota.kind !== 'concurrency' && quota.growing !== undefined ? [quota.growing.max] : [];
  return Math.max(quota.limit, ...scheduled, ...grown);
}

/** What may go through in no time: a full bucket, or the limits of two windows that meet. */
function atOnce(quota: QuotaSettings): number {
  if (quota.kind === 'concurrency' || quota.kind === 'ramp') return 0;
  const limit = highest(quota);
  if (quota.refill === 'token-bucket') return limit > quota.limit ? Math.max(quota.burst, limit) : quota.burst;
  return quota.refill === 'fixed-window' ? 2 * limit : limit;
}

/** Of the successes; undefined where more may be used than was taken at admission, and a quota be overdrawn. */
function tokensOf(quota: Extract<QuotaSettings, { kind: 'tokens' }>, used: Used): number | undefined {
  const input = quota.cached === 'free' ? used.input - used.cached : used.input;
  if (quota.counts === 'input') return quota.reserve === 'none' ? undefined : input;
  if (quota.reserve !== 'max-tokens') return undefined;
  return quota.counts === 'output' ? used.output : input + used.output;
}
