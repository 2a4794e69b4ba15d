import { describe, expect, it } from 'vitest';
import { KEY, stage } from './stage.js';

const changes = (events: readonly { type: string }[]) =>
  events
    .filter(({ type }) => type === 'concurrency-changed')
    .map((event) => {
      const { reason, previous, next, runs } = event as unknown as Record<string, unknown>;
      return `${reason} ${previous}→${next} [${runs}]`;
    });

describe('the growth limit', () => {
  it('is growthFactor × initial, rounded down, where no run wants more', () => {
    for (const [growthFactor, growthLimit] of [
      [1, 8],
      [1.7, 13],
      [2, 16],
    ] as const) {
      const { governor, ask, look } = stage({ initial: 8, growthFactor });
      ask('a', { run: governor.openRun('small', { maxConcurrency: 3 }) });
      expect(look()).toMatchObject({ cap: 8, growthLimit });
    }
  });

  it('follows the largest bound among the open runs that have asked for the key', () => {
    const { governor, ask, look } = stage({ initial: 4 });
    const run = (id: string, maxConcurrency: number | null) => governor.openRun(id, { maxConcurrency });
    const [ten, twenty, idle] = [run('ten', 10), run('twenty', 20), run('idle', 99)];
    ask('a', { run: ten });
    expect(look().growthLimit).toBe(10);
    ask('b', { run: twenty });
    expect(look().growthLimit).toBe(20);
    ten.amend({ maxConcurrency: 30 });
    expect(look().growthLimit).toBe(30);
    ten.close();
    expect(look().growthLimit).toBe(20);
    twenty.amend({ maxConcurrency: null });
    expect(look().growthLimit).toBe(4);
    governor.tryAcquire(KEY, { run: idle });
    expect(look().growthLimit).toBe(99);
  });

  it('pulls the cap down when the largest closes, and every open run that has used the key hears of it', () => {
    const { governor, ask, ticket, look, events } = stage({ initial: 8 });
    const large = governor.openRun('large', { maxConcurrency: 32 });
    const bystander = governor.openRun('bystander');
    const stranger = governor.openRun('stranger');
    ask('a', { run: large });
    ask('b', { run: bystander });
    ask('c', { run: stranger, key: { provider: 'p', model: 'other' } });
    ticket('b').end();
    events.length = 0;
    large.close();
    expect(changes(events)).toEqual(['limit_lowered 32→8 [bystander]']);
    expect(look()).toMatchObject({ cap: 8, growthLimit: 8, inFlight: 1 });
  });

  it('knows nothing of observers', () => {
    const { governor, look } = stage({ initial: 4 });
    governor.openRun('large', { maxConcurrency: 32 });
    governor.observer().acquire(KEY);
    expect(look()).toMatchObject({ cap: 4, growthLimit: 4 });
  });

  it('stays right while hundreds of runs come, change and go', () => {
    const { governor, look } = stage({ initial: 2 });
    const bound = (i: number): number => ((i * 7919) % 503) + 3;
    const runs = Array.from({ length: 300 }, (_, i) => governor.openRun(`${i}`, { maxConcurrency: bound(i) }));
    for (const run of runs) governor.tryAcquire(KEY, { run });
    const live = new Map(runs.map((run, i) => [run, bound(i)]));
    runs.forEach((run, i) => {
      if (i % 3 === 0) {
        run.amend({ maxConcurrency: bound(i + 300) });
        live.set(run, bound(i + 300));
      } else if (i % 3 === 1) {
        run.close();
        live.delete(run);
      }
      expect(look().growthLimit).toBe(Math.max(2, ...live.values()));
    });
    // From the largest down: each time the one at the top goes.
    for (const [run] of [...live].sort(([, a], [, b]) => b - a)) {
      run.close();
      live.delete(run);
      expect(look().growthLimit).toBe(Math.max(2, ...live.values()));
    }
  });
});

describe('seeding', () => {
  it('jumps to the largest bound that an open run stated, and a refusal then cuts from there: 8 → 32 × 24 × 18', () => {
    const { governor, ask, ticket, events } = stage({ initial: 8 });
    const run = governor.openRun('r', { maxConcurrency: 32 });
    ask('a', { run });
    ticket('a').throttle();
    ask('b', { run });
    ticket('b').throttle();
    expect(changes(events)).toEqual(['seeded 8→32 [r]', 'rate_limited 32→24 [r]', 'rate_limited 24→18 [r]']);
  });

  it('is not for a default bound, and not for a bound stated below the cap', () => {
    const { governor, ask, look } = stage({ initial: 8, growthFactor: 4 });
    ask('a', { run: governor.openRun('default') });
    ask('b', { run: governor.openRun('small', { maxConcurrency: 5 }) });
    expect(look()).toMatchObject({ cap: 8, growthLimit: 32, epoch: 0 });
  });

  it('lets through who waited for room, at once and in turn', () => {
    const { governor, ask, read } = stage({ initial: 1 });
    ask('a');
    ask('b');
    ask('c');
    read();
    ask('d', { run: governor.openRun('r', { maxConcurrency: 3 }) });
    expect(read()).toEqual(['b', 'c']);
  });

  it('is refused while a refusal is younger than the idle time, whatever happened since', () => {
    const { governor, ask, ticket, look, clock } = stage({ initial: 8 });
    ask('a');
    ask('holder');
    ticket('a').throttle();
    clock.advance(299_999);
    const run = governor.openRun('r', { maxConcurrency: 32 });
    ask('b', { run });
    expect(look()).toMatchObject({ cap: 6, growthLimit: 32 });
    clock.advance(1);
    run.amend({ maxConcurrency: 33 });
    expect(look()).toMatchObject({ cap: 33, growthLimit: 33 });
  });

  it('is tried again with the next run that states a bound or changes it, with the largest of all', () => {
    const { governor, ask, ticket, look, clock } = stage({ initial: 8, idleResetMs: 1_000 });
    ask('holder');
    ask('a');
    ticket('a').throttle();
    const run = governor.openRun('r', { maxConcurrency: 32 });
    ask('b', { run });
    expect(look().cap).toBe(6);
    clock.advance(1_000);
    ask('c', { run: governor.openRun('s', { maxConcurrency: 2 }) });
    expect(look().cap).toBe(32);
  });

  it('does not happen by itself after an idle reset', () => {
    const { governor, ask, ticket, look, clock, events } = stage({ initial: 8 });
    const run = governor.openRun('r', { maxConcurrency: 32 });
    ask('a', { run });
    ticket('a').end();
    clock.advance(300_000);
    ask('b', { run });
    expect(changes(events)).toEqual(['seeded 8→32 [r]', 'idle_reset 32→8 []']);
    expect(look()).toMatchObject({ cap: 8, growthLimit: 32 });
  });
});
