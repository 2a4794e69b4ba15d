import { channel } from 'node:diagnostics_channel';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it, vi } from 'vitest';
import { createGovernor, type Key } from '../../src/index.js';
import { governorMetrics, publishDiagnostics, type RequestEvent } from '../../src/telemetry.js';
import { ManualClock } from '../../src/testing/manual-clock.js';

const KEY: Key = { provider: 'openrouter', model: 'meta/llama' };

describe('what happens to single requests', () => {
  it('is told in order, whatever became of them', async () => {
    const clock = new ManualClock();
    const governor = createGovernor({ clock, initial: 1, maxQueue: 1 });
    const told: RequestEvent[] = [];
    const stop = governor.onRequest((event) => told.push(event));
    const run = governor.openRun('review');
    const first = governor.tryAcquire(KEY, { run })!;
    const abort = new AbortController();
    const aborted = governor.acquire(KEY, { signal: abort.signal });
    const full = governor.acquire(KEY);
    await expect(full).rejects.toThrow('maxQueue 1');
    abort.abort('gone');
    await expect(aborted).rejects.toBe('gone');
    const queued = governor.acquire(KEY);
    clock.advance(70);
    first.succeed();
    (await queued).throttle({ reason: 'provider_overloaded' });
    governor.observer().acquire(KEY).fail();
    governor.tryAcquire(KEY)!.end();
    stop();
    governor.tryAcquire(KEY)!.end();
    expect(told.map(({ key, ...event }) => ({ ...event, key: `${key.provider}/${key.model}` }))).toMatchObject([
      { type: 'request-admitted', at: 0, key: 'openrouter/meta/llama', run: 'review', queuedMs: 0 },
      { type: 'request-queued', at: 0, run: undefined },
      { type: 'request-withdrawn', at: 0, cause: { name: 'QueueFullError' } },
      { type: 'request-withdrawn', at: 0, cause: 'gone' },
      { type: 'request-queued', at: 0 },
      { type: 'request-settled', at: 70, run: 'review', outcome: 'succeeded', reason: undefined, heldMs: 70 },
      { type: 'request-admitted', at: 70, queuedMs: 70 },
      { type: 'request-settled', at: 70, outcome: 'throttled', reason: 'provider_overloaded', heldMs: 0 },
      { type: 'request-admitted', at: 70 },
      { type: 'request-settled', outcome: 'failed' },
      { type: 'request-admitted', at: 70 },
      { type: 'request-settled', outcome: 'ended' },
    ]);
  });

  it('a listener that throws hurts nobody, and one that asks gets its turn', async () => {
    const errors: unknown[] = [];
    const governor = createGovernor({ clock: new ManualClock(), initial: 1, onError: (error) => errors.push(error) });
    governor.onRequest(() => {
      throw new Error('mine');
    });
    let asked = 0;
    governor.onRequest((event) => {
      if (event.type === 'request-settled' && asked++ < 2) void governor.acquire(KEY).then((ticket) => ticket.end());
    });
    const waiting = governor.acquire(KEY);
    governor.tryAcquire(KEY)?.end();
    (await waiting).succeed();
    await expect.poll(() => governor.snapshot(KEY)).toMatchObject({ inFlight: 0, queue: 0 });
    await expect.poll(() => asked).toBe(3);
    expect(errors).toHaveLength(6);
  });
});

describe('publishDiagnostics', () => {
  it('publishes every event on the channel of its type, until stopped', () => {
    const governor = createGovernor({ clock: new ManualClock() });
    const heard: unknown[] = [];
    const names = ['concurrency-changed', 'request-admitted', 'request-settled', 'settled-twice'];
    const hear = (message: unknown, name: string | symbol): void =>
      void heard.push([name, (message as { type: string }).type]);
    for (const name of names) channel(`tidegate:${name}`).subscribe(hear);
    const stop = publishDiagnostics(governor);
    const ticket = governor.tryAcquire(KEY)!;
    ticket.throttle();
    ticket.end();
    stop();
    governor.tryAcquire(KEY)!.end();
    for (const name of names) channel(`tidegate:${name}`).unsubscribe(hear);
    expect(heard).toEqual([
      ['tidegate:request-admitted', 'request-admitted'],
      ['tidegate:concurrency-changed', 'concurrency-changed'],
      ['tidegate:request-settled', 'request-settled'],
      ['tidegate:settled-twice', 'settled-twice'],
    ]);
  });

  it('does nothing where there is no diagnostics_channel', () => {
    vi.stubGlobal('process', undefined);
    try {
      const governor = createGovernor({ clock: new ManualClock() });
      const stop = publishDiagnostics(governor);
      governor.tryAcquire(KEY)!.end();
      expect(stop()).toBeUndefined();
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('governorMetrics', () => {
  it('shows caps, load, waits and refusals by provider and model, and nothing once stopped', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const meters = new MeterProvider({ readers: [reader] });
    const clock = new ManualClock();
    const governor = createGovernor({ clock, initial: 2 });
    const stop = governorMetrics(governor, meters.getMeter('test'), { clock });
    const collected = async (): Promise<Record<string, unknown>> => {
      exporter.reset();
      await reader.forceFlush();
      const metrics = exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      return Object.fromEntries(
        metrics.map(({ descriptor, dataPoints }) => [
          `${descriptor.name} ${descriptor.unit}`,
          dataPoints.map(({ attributes, value }) => {
            const { 'gen_ai.provider.name': provider, 'gen_ai.request.model': model, ...rest } = attributes;
            expect(`${provider}/${model}`).toBe('openrouter/meta/llama');
            return [...Object.values(rest), typeof value === 'object' ? [value.count, value.sum] : value];
          }),
        ]),
      );
    };

    const run = governor.openRun('never a label', { maxConcurrency: 2 });
    const [first, second] = [governor.tryAcquire(KEY, { run })!, governor.tryAcquire(KEY)!];
    const third = governor.acquire(KEY);
    clock.advance(1_500);
    second.succeed();
    (await third).throttle({ retryAfterMs: 10_000 });
    const fourth = governor.acquire(KEY);
    second.end();
    clock.advance(4_000);
    expect(await collected()).toEqual({
      'tidegate.cap {request}': [[1]],
      'tidegate.in_flight {request}': [[1]],
      'tidegate.queued {request}': [[1]],
      'tidegate.cooldown.remaining s': [[6]],
      'tidegate.wait s': [[[3, 1.5]]],
      'tidegate.refusals {refusal}': [['rate_limited', 1]],
      'tidegate.settled_twice {settlement}': [[1]],
    });

    stop();
    first.throttle();
    first.end();
    clock.advance(6_000);
    (await fourth).end();
    expect(await collected()).toMatchObject({
      'tidegate.in_flight {request}': [[1]],
      'tidegate.queued {request}': [[1]],
      'tidegate.wait s': [[[3, 1.5]]],
      'tidegate.refusals {refusal}': [['rate_limited', 1]],
      'tidegate.settled_twice {settlement}': [[1]],
    });
    expect(governor.snapshot(KEY)).toMatchObject({ inFlight: 0, queue: 0 });
    await meters.shutdown();
  });
});
