/**
 * A clairvoyant: knows at every instant what the provider would say to the request that is next, and lets it go when the
 * answer is yes. Nobody who must learn does better, so it is the floor for makespan and for refusals: it fills the quota and
 * is refused only where no wait helps. It looks into the provider's own models and into the timeline, never into the luck
 * of single answers.
 */

import { type Ahead, loadFactor, type QuotaSpec } from '@tidegate/providers-mock';
import type { LatencySettings, ProviderSettings, Scenario, TargetSettings } from '../scenario/scenario.js';
import type { Transport } from '../transport/transport.js';
import type { Lookout, Traveller } from '../workload/run-context.js';
import { type Knowledge, TICK_MS } from './knowing-controller.js';
import { ProviderCourse } from './provider-course.js';

/** How often to look again where limits move by themselves: far below the shortest answer. */
const LOOK_AGAIN_MS = 100;

/** Who has asked and who has been let in but not sent yet. */
export class Oracle implements Lookout {
  readonly #scenario: Pick<Scenario, 'providers' | 'timeline'>;
  readonly #waitMs: NonNullable<Transport['waitMs']>;
  /** By key and lane, in the order in which they asked. */
  readonly #queued = new Map<string, Map<string, Set<Traveller>>>();
  /** By provider. */
  readonly #unsent = new Map<string, Set<Traveller>>();

  /** @throws RangeError where the provider cannot be looked into. */
  constructor(scenario: Pick<Scenario, 'providers' | 'timeline'>, transport: Transport) {
    const { waitMs } = transport;
    if (waitMs === undefined) throw new RangeError('controller: an oracle needs a simulated provider to look into');
    this.#scenario = scenario;
    this.#waitMs = waitMs.bind(transport);
  }

  queued(attempt: Traveller): void {
    const key = `${attempt.provider}/${attempt.model}`;
    const lanes = this.#queued.get(key) ?? new Map<string, Set<Traveller>>();
    const lane = lanes.get(laneOf(attempt)) ?? new Set<Traveller>();
    this.#queued.set(key, lanes.set(laneOf(attempt), lane.add(attempt)));
  }

  withdrawn(attempt: Traveller): void {
    this.#queued.get(`${attempt.provider}/${attempt.model}`)?.get(laneOf(attempt))?.delete(attempt);
  }

  admitted(attempt: Traveller): void {
    this.withdrawn(attempt);
    const unsent = this.#unsent.get(attempt.provider) ?? new Set<Traveller>();
    this.#unsent.set(attempt.provider, unsent.add(attempt));
  }

  sent(attempt: Traveller): void {
    this.#unsent.get(attempt.provider)?.delete(attempt);
  }

  /** What it knows of one key. */
  of(target: TargetSettings): Knowledge {
    const course = new ProviderCourse(this.#scenario, target.provider);
    return {
      placesAt: (nowMs) => placesOf(course.at(nowMs), target.model),
      nextChangeMs: (nowMs) => course.nextChangeMs(nowMs),
      waitMs: (nowMs, inFlight) => this.#waitOf(target, course, nowMs, inFlight),
    };
  }

  #waitOf(target: TargetSettings, course: ProviderCourse, nowMs: number, inFlight: number): number {
    const untilChangeMs = course.nextChangeMs(nowMs) - nowMs + TICK_MS;
    // A change of this very instant may not have come yet, and what is sent meets it.
    if (untilChangeMs === TICK_MS) return TICK_MS;
    let longest = 0;
    for (const next of this.#nextOf(target)) {
      const wait = this.#waitMs(target, next, this.#aheadOf(target));
      if (wait === null) {
        const untilLookMs = isRestless(course.at(nowMs), target.model) || inFlight === 0 ? LOOK_AGAIN_MS : Infinity;
        longest = Math.max(longest, Math.min(untilChangeMs, untilLookMs));
      } else if (wait !== Infinity) {
        longest = Math.max(longest, wait);
      } else if (untilChangeMs !== Infinity) {
        longest = Math.max(longest, untilChangeMs);
      }
      // Else it will never fit: it goes, and is told so.
    }
    return longest;
  }

  /** The oldest of each lane: one of them is next. */
  #nextOf({ provider, model }: TargetSettings): readonly Traveller[] {
    const lanes = this.#queued.get(`${provider}/${model}`);
    if (lanes === undefined) return [];
    return [...lanes.values()].flatMap((lane) => {
      const { value } = lane.values().next();
      return value === undefined ? [] : [value];
    });
  }

  #aheadOf({ provider, model }: TargetSettings): readonly Ahead[] {
    return [...(this.#unsent.get(provider) ?? [])].map((facts) => ({ facts, isOwn: facts.model === model }));
  }
}

/** Those of a run come one after the other, as do those without one; each process has a gate of its own. */
function laneOf({ process = '', runId = '' }: Traveller): string {
  return JSON.stringify([process, runId]);
}

function quotasOf({ quotas, models }: ProviderSettings, model: string): readonly QuotaSpec[] {
  return [...quotas, ...(models[model]?.quotas ?? [])];
}

/** More would be refused, would wait at the server, or would slow the others by more than it brings. */
function placesOf(settings: ProviderSettings, model: string): number {
  const limits = quotasOf(settings, model).flatMap((quota) => (quota.kind === 'concurrency' ? [quota.limit] : []));
  const { server, latency } = settings.models[model] as ProviderSettings['models'][string];
  return Math.min(Infinity, ...limits, server?.slots ?? Infinity, bestInFlight(latency.load));
}

/** In flight, where the most is answered per second. */
function bestInFlight(load: LatencySettings['load']): number {
  const { kneeStart, kneeBase } = load;
  if (kneeStart === null || kneeBase === 1) return Infinity;
  // Past the knee the time grows by powers: what one more brings only falls from there.
  let best = 1;
  const rate = (inFlight: number): number => inFlight / loadFactor(load, inFlight);
  while (best < kneeStart || rate(best + 1) >= rate(best)) best++;
  return best;
}

/** Whether room may come without a word: limits that move, other tenants, other models. */
function isRestless(settings: ProviderSettings, model: string): boolean {
  const { overload, server } = settings.models[model] as ProviderSettings['models'][string];
  if (settings.overload !== undefined || overload !== undefined || server !== undefined) return true;
  if (settings.quotas.some(({ kind }) => kind === 'concurrency')) return true;
  return quotasOf(settings, model).some(
    (quota) => quota.kind !== 'ramp' && (quota.schedule ?? quota.squeeze ?? quota.others) !== undefined,
  );
}
