import { describe, expect, it } from 'vitest';
import { ProgramCalls } from '../../src/workload/program-calls.js';

function withCalls(most: number, ...calls: string[]): ProgramCalls<string> {
  const program = new ProgramCalls<string>(most);
  for (const call of calls) program.add(call);
  return program;
}

/** All that may be made now; `refuse` says which come back at once. */
function make(program: ProgramCalls<string>, refuse = ''): string {
  let made = '';
  for (let call = program.next(); call !== undefined; call = program.next()) {
    made += call;
    if (refuse.includes(call)) program.refused(call);
  }
  return made;
}

describe('the calls of a program', () => {
  it('are made in order, so many open at once, the next as soon as one returns', () => {
    const program = withCalls(2, 'a', 'b', 'c', 'd');
    expect(make(program)).toBe('ab');
    program.returned();
    expect(make(program)).toBe('c');
    program.returned();
    program.returned();
    expect(make(program)).toBe('d');
    expect(program.open).toBe(1);
  });

  it('have no bound at 0', () => {
    expect(make(withCalls(0, ...'abcdefghijklmnop'))).toBe('abcdefghijklmnop');
  });

  it('stay open when they are refused, until the next step, and then come behind those not tried', () => {
    const program = withCalls(3, ...'abcde');
    expect(make(program, 'bc')).toBe('abc');
    expect(program.hasRefused).toBe(true);
    // The child of `a` settles in the middle of the step: one more may be tried.
    program.returned();
    expect(make(program, 'd')).toBe('d');
    expect(program.open).toBe(3);
    program.step();
    expect([program.open, program.hasRefused]).toEqual([0, false]);
    expect(make(program)).toBe('ebc');
    program.returned();
    expect(make(program)).toBe('d');
  });

  it('may be more or fewer from the next call on', () => {
    const program = withCalls(1, ...'abcd');
    expect(make(program)).toBe('a');
    program.setMost(3);
    expect(make(program)).toBe('bc');
    program.setMost(1);
    program.returned();
    program.returned();
    expect(make(program)).toBe('');
    program.returned();
    expect(make(program)).toBe('d');
  });

  it('cannot return when only refused ones are open', () => {
    const program = withCalls(1, 'a');
    expect(make(program, 'a')).toBe('a');
    expect(() => program.returned()).toThrow('a call of a program returned, and none was open');
  });

  it('keep their order in a line of thousands', () => {
    const program = withCalls(1, ...Array.from({ length: 5000 }, (_, n) => `${n},`));
    let made = '';
    for (let n = 0; n < 5000; n++) {
      made += make(program);
      program.returned();
    }
    expect(made).toBe(Array.from({ length: 5000 }, (_, n) => `${n},`).join(''));
  });
});
