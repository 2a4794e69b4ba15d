import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunPaths } from '../../src/results/run-paths.js';
import { RunWidths } from '../../src/results/run-widths.js';

type Step =
  | { readonly kind: 'started' | 'bound'; readonly run: string; readonly bound: number }
  | { readonly kind: 'asked'; readonly run: string; readonly key: string }
  | { readonly kind: 'cap'; readonly key: string; readonly cap: number }
  | { readonly kind: 'ended'; readonly run: string };

const RUNS = ['a', 'b', 'c', 'd'];
const KEYS = ['x', 'y'];
const INITIAL = 4;
const END = 1_000;

const run = fc.constantFrom(...RUNS);
const key = fc.constantFrom(...KEYS);
const level = fc.integer({ min: 1, max: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('started', 'bound'), run, bound: level }),
  fc.record({ kind: fc.constant('asked'), run, key }),
  fc.record({ kind: fc.constant('cap'), key, cap: level }),
  fc.record({ kind: fc.constant('ended'), run }),
);
/** In order of time; a distance of 0 is common. */
const script = fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 3, 10), step), { maxLength: 60 }).map((steps) => {
  let t = 0;
  return steps.map(([after, one]): [number, Step] => {
    t += after;
    return [t, one];
  });
});

interface Life {
  readonly startedAt: number;
  endedAt: number | undefined;
  bound: number;
  readonly asked: Set<string>;
  /** The state at the end of each instant in which something happened. */
  readonly states: Map<number, { readonly width: number; readonly bound: number }>;
}

/** Run by run and instant by instant, with nothing shared. */
function naive(steps: readonly (readonly [number, Step])[]): ReadonlyMap<string, Life> {
  const caps = new Map(KEYS.map((name) => [name, INITIAL]));
  const lives = new Map<string, Life>();
  for (const [t, one] of steps) {
    const life = 'run' in one ? lives.get(one.run) : undefined;
    const isOpen = life !== undefined && life.endedAt === undefined;
    if (one.kind === 'started' && life === undefined) {
      lives.set(one.run, { startedAt: t, endedAt: undefined, bound: one.bound, asked: new Set(), states: new Map() });
    } else if (one.kind === 'bound' && isOpen) life.bound = one.bound;
    else if (one.kind === 'asked' && isOpen) life.asked.add(one.key);
    else if (one.kind === 'ended' && isOpen) life.endedAt = t;
    else if (one.kind === 'cap') caps.set(one.key, one.cap);
    for (const each of lives.values()) {
      if (each.endedAt !== undefined && one.kind !== 'ended') continue;
      if (each.endedAt !== undefined && each.endedAt < t) continue;
      const width = Math.min(each.bound, ...[...each.asked].map((name) => caps.get(name) as number));
      each.states.set(t, { width, bound: each.bound });
    }
  }
  return lives;
}

function played(steps: readonly (readonly [number, Step])[]): { widths: RunWidths; paths: RunPaths } {
  const paths = new RunPaths();
  const widths = new RunWidths(INITIAL, paths);
  const started = new Set<string>();
  const ended = new Set<string>();
  for (const [t, one] of steps) {
    switch (one.kind) {
      case 'started':
        if (!started.has(one.run)) widths.started(t, one.run, one.bound);
        started.add(one.run);
        break;
      case 'bound':
        widths.boundChanged(t, one.run, one.bound);
        break;
      case 'asked':
        widths.asked(t, one.run, one.key);
        break;
      case 'cap':
        widths.capChanged(t, one.key, one.cap);
        break;
      case 'ended':
        if (started.has(one.run) && !ended.has(one.run)) {
          widths.ended(t, one.run);
          paths.ended(one.run, t);
          ended.add(one.run);
        }
    }
  }
  return { widths, paths };
}

/** [from, to) of each state that lasted. */
function lasting({ states, endedAt = END }: Life) {
  const times = [...states.keys()].sort((a, b) => a - b);
  return times
    .map((from, i) => ({ from, to: Math.min(times[i + 1] ?? endedAt, endedAt), ...states.get(from)! }))
    .filter(({ from, to }) => to > from);
}

describe('widths that runs share', () => {
  it('are those of each run by itself: least, mean and course', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const { widths, paths } = played(steps);
        const series = new Map(paths.series(END).map((one) => [one.run, one.points]));
        for (const [id, life] of naive(steps)) {
          const levels = lasting(life);
          if (levels.length === 0) continue;
          const { endedAt = END, startedAt } = life;
          const area = levels.reduce((sum, { from, to, width }) => sum + width * (to - from), 0);
          const { min, mean } = widths.figures(id, END);
          expect(min).toBe(Math.min(...levels.map(({ width }) => width)));
          expect(mean).toBeCloseTo(area / (endedAt - startedAt), 9);
          for (const { from, width, bound } of levels) {
            const at = series.get(id)!.findLast(({ tMs }) => tMs <= from);
            expect([at?.effective, at?.bound]).toEqual([width, bound]);
          }
          expect(series.get(id)!.at(-1)?.tMs).toBe(endedAt);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('of ten thousand runs, one is followed', () => {
    const heard: number[] = [];
    const widths = new RunWidths(INITIAL, { follows() {}, changed: (shared) => void heard.push(shared.width) });
    for (let i = 0; i < 10_000; i++) {
      widths.started(0, `run-${i}`, 3);
      widths.asked(0, `run-${i}`, 'x');
    }
    widths.capChanged(10, 'x', 2);
    widths.capChanged(20, 'x', 8);
    expect(heard).toEqual([2, 3]);
    expect(widths.figures('run-9999', 40)).toEqual({ min: 2, mean: (3 * 10 + 2 * 10 + 3 * 20) / 40 });
  });
});
