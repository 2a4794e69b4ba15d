/**
 * A governor's state and events as OpenTelemetry metrics, on a meter of the caller's. Labels by provider and model only,
 * never by run, so that the number of series is the number of keys.
 */

import { type Clock, systemClock } from '../gate/clock.js';
import type { GovernorEvent } from '../gate/events.js';
import type { Governor } from '../gate/governor.js';
import type { RequestEvent } from '../gate/request-events.js';
import type { Key } from '../gate/ticket.js';

type Attributes = Record<string, string>;

interface Description {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { explicitBucketBoundaries: number[] };
}

/** What is used of a `Meter` of `@opentelemetry/api`. */
export interface MetricsMeter<G = unknown> {
  createCounter(name: string, options: Description): { add(value: number, attributes: Attributes): void };
  createHistogram(name: string, options: Description): { record(value: number, attributes: Attributes): void };
  createObservableGauge(name: string, options: Description): G;
  addBatchObservableCallback(callback: ObserveAll<G>, gauges: G[]): void;
  removeBatchObservableCallback(callback: ObserveAll<G>, gauges: G[]): void;
}

type ObserveAll<G> = (result: { observe(gauge: G, value: number, attributes: Attributes): void }) => void;

/** What the metrics are read with. */
export interface GovernorMetricsOptions {
  /** The governor's own, for what is left of a cooldown. Default: the process's. */
  readonly clock?: Clock;
}

const WAIT_BOUNDARIES_S = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Registers the metrics and keeps them; returns what takes them away.
 *
 * | name | kind | of |
 * |---|---|---|
 * | `tidegate.cap` | gauge, {request} | requests that may be in flight |
 * | `tidegate.in_flight` | gauge, {request} | requests that are |
 * | `tidegate.queued` | gauge, {request} | requests that wait for a slot |
 * | `tidegate.cooldown.remaining` | gauge, s | until the wait asked for by the provider is over |
 * | `tidegate.wait` | histogram, s | asking to admission, those who did not wait included |
 * | `tidegate.refusals` | counter, {refusal} | throttled attempts, by `tidegate.reason` |
 * | `tidegate.settled_twice` | counter, {settlement} | settlements of tickets settled before: a bug of a caller |
 *
 * Each has `gen_ai.provider.name` and `gen_ai.request.model`.
 */
export function governorMetrics<G>(
  governor: Governor,
  meter: MetricsMeter<G>,
  { clock = systemClock }: GovernorMetricsOptions = {},
): () => void {
  const stopGauges = observeBuckets(governor, meter, clock);
  const wait = meter.createHistogram('tidegate.wait', {
    description: 'Time a request waited for a slot',
    unit: 's',
    advice: { explicitBucketBoundaries: WAIT_BOUNDARIES_S },
  });
  const refusals = meter.createCounter('tidegate.refusals', {
    description: 'Attempts that the provider refused',
    unit: '{refusal}',
  });
  const settledTwice = meter.createCounter('tidegate.settled_twice', {
    description: 'Settlements of tickets that had been settled before',
    unit: '{settlement}',
  });
  const stopRequests = governor.onRequest((event: RequestEvent) => {
    if (event.type === 'request-admitted') wait.record(event.queuedMs / 1_000, attributesOf(event.key));
    if (event.type === 'request-settled' && event.reason !== undefined)
      refusals.add(1, { ...attributesOf(event.key), 'tidegate.reason': event.reason });
  });
  const stopEvents = governor.onEvent((event: GovernorEvent) => {
    if (event.type === 'settled-twice') settledTwice.add(1, attributesOf(keyOf(event.key)));
  });
  return () => {
    stopGauges();
    stopRequests();
    stopEvents();
  };
}

/** One look at the governor per collection, whatever the number of gauges. */
function observeBuckets<G>(governor: Governor, meter: MetricsMeter<G>, clock: Clock): () => void {
  const gauge = (name: string, description: string, unit: string): G =>
    meter.createObservableGauge(name, { description, unit });
  const cap = gauge('tidegate.cap', 'Requests that may be in flight', '{request}');
  const inFlight = gauge('tidegate.in_flight', 'Requests in flight', '{request}');
  const queued = gauge('tidegate.queued', 'Requests waiting for a slot', '{request}');
  const cooldown = gauge('tidegate.cooldown.remaining', 'Until the wait that the provider asked for is over', 's');
  const observe: ObserveAll<G> = (result) => {
    const now = clock.now();
    for (const bucket of governor.snapshots()) {
      const attributes = attributesOf(keyOf(bucket.key));
      result.observe(cap, bucket.cap, attributes);
      result.observe(inFlight, bucket.inFlight, attributes);
      result.observe(queued, bucket.queue, attributes);
      result.observe(cooldown, Math.max(0, (bucket.cooldownUntil ?? now) - now) / 1_000, attributes);
    }
  };
  const gauges = [cap, inFlight, queued, cooldown];
  meter.addBatchObservableCallback(observe, gauges);
  return () => meter.removeBatchObservableCallback(observe, gauges);
}

function attributesOf({ provider, model }: Key): Attributes {
  return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': model };
}

/** `provider/model`, of which only the model may contain a slash. */
function keyOf(text: string): Key {
  const slash = text.indexOf('/');
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}
