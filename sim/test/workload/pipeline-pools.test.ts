import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PipelinePools, type SessionSeats } from '../../src/workload/pipeline-pools.js';

describe('seats of a pipeline', () => {
  it('are refused by the stage first, then by the host', () => {
    const pools = new PipelinePools({ maxActive: 2, stages: [1, 0] });
    const one = pools.newSession();
    // The stage takes one, the host two, whatever their stages.
    expect([pools.dispatch(one, 0), pools.dispatch(one, 0), pools.dispatch(one, 1), pools.dispatch(one, 1)]).toEqual([
      null,
      'stage',
      null,
      'host',
    ]);
    expect(pools.active).toBe(2);
  });

  it('of a stage are counted per session, those of the host across all', () => {
    const pools = new PipelinePools({ maxActive: 3, stages: [1] });
    const [one, two, three, four] = [1, 2, 3, 4].map(() => pools.newSession()) as [
      SessionSeats,
      SessionSeats,
      SessionSeats,
      SessionSeats,
    ];
    expect([one, one, two, three, four].map((session) => pools.dispatch(session, 0))).toEqual([
      null,
      'stage',
      null,
      null,
      'host',
    ]);
    pools.settled(two, 0);
    expect(pools.dispatch(four, 0)).toBeNull();
  });

  it('of two dispatches for the last one: the first has it, and never are both refused', () => {
    const pools = new PipelinePools({ maxActive: 1, stages: [0, 0] });
    const session = pools.newSession();
    expect([pools.dispatch(session, 1), pools.dispatch(session, 0)]).toEqual([null, 'host']);
  });

  it('are taken by a woken child from the host alone, and count in its stage', () => {
    const pools = new PipelinePools({ maxActive: 2, stages: [1] });
    const session = pools.newSession();
    expect([pools.dispatch(session, 0), pools.wake(session, 0), pools.wake(session, 0)]).toEqual([null, null, 'host']);
    pools.settled(session, 0);
    // One still runs, and that is all that the stage takes.
    expect(pools.dispatch(session, 0)).toBe('stage');
  });

  it('under a lowered bound: nobody is stopped, and the next dispatch waits for enough to settle', () => {
    const pools = new PipelinePools({ maxActive: 0, stages: [0] });
    const session = pools.newSession();
    expect(Array.from({ length: 5 }, () => pools.dispatch(session, 0))).toEqual([null, null, null, null, null]);
    pools.setBound(0, 2);
    const verdicts = [1, 2, 3, 4].map(() => {
      pools.settled(session, 0);
      return pools.dispatch(session, 0);
    });
    expect(verdicts).toEqual(['stage', 'stage', 'stage', null]);
    pools.setBound(0, 0);
    pools.setMaxActive(3);
    expect([pools.dispatch(session, 0), pools.dispatch(session, 0)]).toEqual([null, 'host']);
  });

  it('that nobody holds cannot be given back', () => {
    const pools = new PipelinePools({ maxActive: 1, stages: [1] });
    expect(() => pools.settled(pools.newSession(), 0)).toThrow('a child of stage 0 settled, and none was running');
  });

  it('are never over a bound after a dispatch, and refused only for want of room, over any script', () => {
    const move = fc.record({
      does: fc.constantFrom('dispatch', 'wake', 'settle'),
      session: fc.nat(2),
      stage: fc.nat(1),
    });
    const bounds = fc.record({ maxActive: fc.nat(6), stages: fc.tuple(fc.nat(4), fc.nat(4)) });
    fc.assert(
      fc.property(bounds, fc.array(move, { maxLength: 60 }), ({ maxActive, stages }, moves) => {
        const pools = new PipelinePools({ maxActive, stages });
        const sessions = [1, 2, 3].map(() => pools.newSession());
        const running: string[] = [];
        const has = (bound: number, taken: number): boolean => bound === 0 || taken < bound;
        for (const { does, session, stage } of moves) {
          const seats = sessions[session] as SessionSeats;
          const id = `${session}/${stage}`;
          const ofStage = running.filter((each) => each === id).length;
          const hasHost = has(maxActive, running.length);
          if (does === 'settle') {
            if (ofStage === 0) continue;
            pools.settled(seats, stage);
            running.splice(running.indexOf(id), 1);
            continue;
          }
          const hasStage = does === 'wake' || has(stages[stage] as number, ofStage);
          const expected = hasStage ? (hasHost ? null : 'host') : 'stage';
          expect(does === 'wake' ? pools.wake(seats, stage) : pools.dispatch(seats, stage)).toBe(expected);
          if (expected === null) running.push(id);
          expect(pools.active).toBe(running.length);
        }
      }),
    );
  });
});
