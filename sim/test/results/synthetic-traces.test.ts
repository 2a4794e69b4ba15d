import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Checks } from '../../src/results/checks.js';
import { Metrics } from '../../src/results/metrics.js';
import { TimeSeries } from '../../src/results/timeseries.js';
import type { RequestSettled, TraceEvent } from '../../src/trace/events.js';
import { KEY } from './hand-written-trace.js';
import { plans, traceOf } from './synthetic-trace.js';

function figuresOf(trace: readonly TraceEvent[]) {
  const metrics = new Metrics();
  for (const event of trace) metrics.observe(event);
  return metrics.figures();
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const ofType = <T extends TraceEvent['type']>(trace: readonly TraceEvent[], type: T) =>
  trace.filter((event): event is Extract<TraceEvent, { type: T }> => event.type === type);
const isFinal = ({ outcome, lost }: RequestSettled): boolean => outcome === 'succeeded' || lost === true;

describe('any valid trace', () => {
  it('passes all checks', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const checks = new Checks();
        for (const event of traceOf(plan)) checks.observe(event);
      }),
    );
  });

  it('has attempts and requests that add up', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const trace = traceOf(plan);
        const { requests } = figuresOf(trace);
        const { attempts, succeeded, refused, failed, ended, logical, lost, unfinished } = requests;
        expect(attempts).toBe(succeeded + refused + failed + ended);
        expect(logical).toBe(succeeded + lost + unfinished);
        expect({ attempts, logical, unfinished }).toEqual({
          attempts: ofType(trace, 'request-queued').length,
          logical: plan.requests.length,
          unfinished: 0,
        });
      }),
    );
  });

  it('cut off anywhere, still has requests that add up, and no figure that is not finite', () => {
    fc.assert(
      fc.property(plans, fc.double({ min: 0, max: 1, noNaN: true }), (plan, share) => {
        const whole = traceOf(plan);
        const trace = whole.slice(0, 3 + Math.floor(share * (whole.length - 3)));
        const figures = figuresOf(trace);
        const { attempts, succeeded, refused, failed, ended, logical, lost, unfinished } = figures.requests;
        const settled = ofType(trace, 'request-settled');
        expect(attempts - (succeeded + refused + failed + ended)).toBe(
          ofType(trace, 'request-queued').length - settled.length,
        );
        expect(unfinished).toBe(logical - settled.filter(isFinal).length);
        expect(logical).toBe(succeeded + lost + unfinished);
        expect(JSON.parse(JSON.stringify(figures))).toEqual(figures);
      }),
    );
  });

  it("keeps Little's law: what waits and what is in flight is arrivals × time spent there", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const trace = traceOf(plan);
        const { makespanMs, queue, inFlight, keys } = figuresOf(trace);
        const waited = sum(ofType(trace, 'request-admitted').map(({ waitMs }) => waitMs));
        const served = sum(ofType(trace, 'request-settled').map(({ serviceMs }) => serviceMs));
        expect((queue.mean ?? 0) * makespanMs!).toBeCloseTo(waited, 6);
        expect((inFlight.mean ?? 0) * makespanMs!).toBeCloseTo(served, 6);
        expect(inFlight.max).toBeLessThanOrEqual(plan.cap);
        expect(keys[KEY]).toMatchObject({ queue, inFlight });
      }),
    );
  });

  it('has a total per success from its first queueing to its last answer', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const trace = traceOf(plan);
        const first = new Map(
          ofType(trace, 'request-queued')
            .filter(({ attempt }) => attempt === 1)
            .map(({ id, t }) => [id, t]),
        );
        const totals = ofType(trace, 'request-settled')
          .filter(({ outcome }) => outcome === 'succeeded')
          .map(({ id, t }) => t - first.get(id)!);
        const { total } = figuresOf(trace).latencyMs;
        expect(total.count).toBe(totals.length);
        expect(total.mean ?? 0).toBeCloseTo(totals.length === 0 ? 0 : sum(totals) / totals.length, 6);
      }),
    );
  });

  it('has series that end as the figures do', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const trace = traceOf(plan);
        const series = new TimeSeries();
        for (const event of trace) series.observe(event);
        const points = series.series().keys[0]?.points ?? [];
        const { requests, virtualMs } = figuresOf(trace);
        const { succeeded, refused } = requests;
        expect(points.at(-1)).toMatchObject({ tMs: virtualMs, inFlight: 0, queued: 0, succeeded, refused });
        expect(points.every(({ inFlight, queued }) => inFlight >= 0 && inFlight <= plan.cap && queued >= 0)).toBe(true);
        expect(points.slice(1).every(({ tMs }, i) => tMs > points[i]!.tMs)).toBe(true);
      }),
    );
  });
});
