import { describe, expect, it } from 'vitest';
import { summarise } from '../../src/results/expectations.js';
import { Metrics } from '../../src/results/metrics.js';
import { verdictWords } from '../../src/results/verdict-words.js';
import type { Expectation } from '../../src/scenario/scenario.js';
import { STORY } from './hand-written-trace.js';

const metrics = new Metrics();
for (const event of STORY) metrics.observe(event);
const figures = metrics.figures();
const judge = (...expect: readonly Expectation[]) => summarise(figures, expect, 'c0ffee').expectations;

const rows: readonly { expectation: Expectation; actual: unknown; pass: boolean; words: string }[] = [
  {
    expectation: { path: 'makespan', max: 3000 },
    actual: 2350,
    pass: true,
    words: 'makespan is 2.35s, expected at most 3s',
  },
  {
    expectation: { path: 'makespanMs', max: 2349.999 },
    actual: 2350,
    pass: false,
    words: 'makespanMs is 2.35s, expected at most 2.35s',
  },
  {
    expectation: { path: 'makespan', min: 2350, max: 2350 },
    actual: 2350,
    pass: true,
    words: 'makespan is 2.35s, expected 2.35s to 2.35s',
  },
  {
    expectation: { path: 'refused.share', max: 0.12 },
    actual: 1 / 3,
    pass: false,
    words: 'refused.share is 33.3 %, expected at most 12 %',
  },
  {
    expectation: { path: 'refused.first', min: 100 },
    actual: 250,
    pass: true,
    words: 'refused.first is 250ms, expected at least 100ms',
  },
  {
    expectation: { path: 'keys["acme/large"].cap.final', min: 4, max: 6 },
    actual: 2,
    pass: false,
    words: 'keys["acme/large"].cap.final is 2, expected 4 to 6',
  },
  {
    expectation: { path: 'keys[acme/large].cooldown', equals: 1000 },
    actual: 1000,
    pass: true,
    words: 'keys[acme/large].cooldown is 1s, expected 1s',
  },
  {
    expectation: { path: 'latency.wait.p95', max: 200 },
    actual: 200,
    pass: true,
    words: 'latency.wait.p95 is 200ms, expected at most 200ms',
  },
  {
    expectation: { path: 'latencyMs.wait.count', equals: 6 },
    actual: 6,
    pass: true,
    words: 'latencyMs.wait.count is 6, expected 6',
  },
  {
    expectation: { path: 'providers["acme/large"].refusedBy.concurrency', equals: 2 },
    actual: 2,
    pass: true,
    words: 'providers["acme/large"].refusedBy.concurrency is 2, expected 2',
  },
  {
    expectation: { path: 'complete', equals: true },
    actual: true,
    pass: true,
    words: 'complete is true, expected true',
  },
  {
    expectation: { path: 'controller', equals: 'fixed' },
    actual: 'aimd',
    pass: false,
    words: 'controller is aimd, expected fixed',
  },
  {
    expectation: { path: 'traceSha256', equals: 'c0ffee' },
    actual: 'c0ffee',
    pass: true,
    words: 'traceSha256 is c0ffee, expected c0ffee',
  },
  {
    expectation: { path: 'runs["later"].makespan', max: 1000 },
    actual: null,
    pass: false,
    words: 'runs["later"].makespan is none, expected at most 1,000',
  },
  {
    expectation: { path: 'runs["later"].waitMs', equals: null },
    actual: null,
    pass: false,
    words: 'runs["later"].waitMs is none, expected none',
  },
  {
    expectation: { path: 'latencyMs.wait', equals: null },
    actual: null,
    pass: false,
    words: 'latencyMs.wait is none, expected none',
  },
];

describe('an expectation', () => {
  it.each(rows)('on $expectation.path gives $actual', ({ expectation, actual, pass, words }) => {
    const [result] = judge(expectation);
    expect(result).toEqual({ ...expectation, actual, pass });
    expect(verdictWords(result!, summarise(figures, [], null))).toBe(words);
  });

  it('on a figure without samples fails every bound, and holds only where none is expected', () => {
    const refused = { ...figures.refused, first: null };
    const { expectations } = summarise(
      { ...figures, refused },
      [
        { path: 'refused.first', min: 0 },
        { path: 'refused.first', max: 1000 },
        { path: 'refused.first', equals: null },
      ],
      null,
    );
    expect(expectations.map(({ actual, pass }) => [actual, pass])).toEqual([
      [null, false],
      [null, false],
      [null, true],
    ]);
  });

  it('is judged like all others, also behind one that failed', () => {
    expect(judge({ path: 'makespan', max: 1 }, { path: 'seed', equals: 7 }).map(({ pass }) => pass)).toEqual([
      false,
      true,
    ]);
  });
});
