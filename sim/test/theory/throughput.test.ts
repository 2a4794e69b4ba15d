/** What a rate quota lets through of an endless crowd, against what its refill allows: in all, and in any window. */

import { describe, expect, it } from 'vitest';
import { scenarioText, simulate } from '../simulate.js';

/** Twenty a second ask for ten minutes, each once; the times in whole milliseconds at which they were let in. */
async function letIn(quota: string): Promise<readonly number[]> {
  const text = `
name: crowd
governor: { controller: none, retry: none }
providers: { p: { models: { m: { quotas: [${quota}], latency: { service: 1ms, refusal: 1ms } } } } }
workload: { arrivals: [{ id: a, target: p/m, rate: 20/s, process: uniform, for: 10m, tokens: { input: 90, output: 10 } }] }`;
  const { events } = await simulate(scenarioText(text));
  return events.flatMap((event) =>
    event.type === 'request-settled' && event.outcome === 'succeeded' ? [event.t - 1] : [],
  );
}

/** The most that were let in within any minute, its end included and its start not. */
function mostInAMinute(times: readonly number[]): number {
  let first = 0;
  return times.reduce((most, t, last) => {
    while (times[first]! <= t - 60_000) first++;
    return Math.max(most, last - first + 1);
  }, 0);
}

describe('of an endless crowd', () => {
  it.each([
    // At most burst + rate × time: ten at once, then one a second.
    ['a token bucket', '{ requests: 60, per: 1m, burst: 10 }', 10 + 600, 10 + 60],
    // A bucket without a burst of its own holds the limit.
    ['a full bucket', '{ requests: 60, per: 1m }', 60 + 600, 60 + 60],
    ['a bucket of tokens', '{ tokens: 6000, per: 1m, burst: 1000, reserve: max-tokens }', 10 + 600, 10 + 60],
    // Sixty in each of ten windows, and one as the eleventh begins; of two windows that meet, no more than two times sixty.
    ['a fixed window', '{ requests: 60, per: 1m, refill: fixed-window }', 600 + 1, 60 + 60],
    // Never more than sixty in any minute.
    ['a sliding window', '{ requests: 60, per: 1m, refill: sliding-window }', 600, 60],
  ])('%s lets through what its refill allows, and no more', async (name, quota, inAll, inAnyMinute) => {
    const times = await letIn(quota);
    console.log(
      `${name}: ${times.length} of ${inAll} in ten minutes, ${mostInAMinute(times)} of ${inAnyMinute} in one`,
    );
    // The last token may come when nobody is left to ask for it.
    expect(times.length).toBeLessThanOrEqual(inAll);
    expect(times.length).toBeGreaterThanOrEqual(inAll - 1);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(inAnyMinute);
  });
});
