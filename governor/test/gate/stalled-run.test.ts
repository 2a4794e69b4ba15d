import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/gate/run.js';
import { KEY, type Stage, stage } from './stage.js';

const MINUTE = 60_000;

interface Trying extends Stage {
  readonly run: Run;
  try(how: 'succeed' | 'throttle' | 'fail' | 'end', run?: Run): void;
  stalls(): unknown[];
}

function trying(): Trying {
  const set = stage();
  const run = set.governor.openRun('r');
  return {
    ...set,
    run,
    try: (how, by = run) => set.governor.tryAcquire(KEY, { run: by })![how](),
    stalls: () => set.events.filter(({ type }) => type === 'run-stalled'),
  };
}

describe('a run that has been retrying for twenty minutes', () => {
  it('is told once: from the first failure after the last success', () => {
    const { try: attempt, stalls, clock } = trying();
    attempt('succeed');
    clock.advance(5 * MINUTE);
    for (let minutes = 0; minutes < 20; minutes += 4) {
      attempt(minutes % 8 === 0 ? 'fail' : 'throttle');
      clock.advance(4 * MINUTE - 1);
    }
    expect(stalls()).toEqual([]);
    clock.advance(5);
    attempt('throttle');
    expect(stalls()).toEqual([{ type: 'run-stalled', at: 25 * MINUTE, run: 'r', stalledMs: 20 * MINUTE }]);
    clock.advance(60 * MINUTE);
    attempt('fail');
    expect(stalls()).toHaveLength(1);
  });

  it('is armed again by a success', () => {
    const { try: attempt, stalls, clock } = trying();
    const stall = (): void => {
      attempt('fail');
      clock.advance(20 * MINUTE);
      attempt('fail');
    };
    stall();
    clock.advance(MINUTE);
    attempt('succeed');
    stall();
    expect(stalls()).toMatchObject([
      { at: 20 * MINUTE, stalledMs: 20 * MINUTE },
      { at: 41 * MINUTE, stalledMs: 20 * MINUTE },
    ]);
  });

  it('is not stalled where a success came between, nor by what ended without a verdict', () => {
    const { try: attempt, stalls, clock } = trying();
    attempt('fail');
    clock.advance(19 * MINUTE);
    attempt('succeed');
    clock.advance(2 * MINUTE);
    attempt('end');
    attempt('fail');
    clock.advance(20 * MINUTE - 1);
    attempt('fail');
    expect(stalls()).toEqual([]);
  });

  it('is a matter of each run, and of no closed one', () => {
    const { governor, run, try: attempt, stalls, clock } = trying();
    const other = governor.openRun('other');
    attempt('fail');
    const late = governor.tryAcquire(KEY, { run })!;
    attempt('fail', other);
    clock.advance(10 * MINUTE);
    attempt('succeed', other);
    run.close();
    clock.advance(15 * MINUTE);
    late.fail();
    attempt('fail', other);
    expect(stalls()).toEqual([]);
  });
});
