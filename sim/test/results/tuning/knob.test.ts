import { describe, expect, it } from 'vitest';
import { Grid } from '../../../src/results/tuning/grid.js';
import { type Knob, readKnob } from '../../../src/results/tuning/knob.js';
import { openScenario } from '../../../src/scenario/load.js';

const { schema } = openScenario({ text: '', readFile: () => '' });

function knob(text: string): Knob {
  const reading = readKnob(text, schema);
  if (reading.kind === 'problem') throw new Error(reading.message);
  return reading.knob;
}

function valuesOf(text: string): readonly string[] {
  const { values } = knob(text);
  return Array.from({ length: values.count }, (_, i) => values.at(i));
}

describe('the values of a knob', () => {
  it.each([
    // A list.
    { text: 'increaseAfterSuccesses=1,2,4', values: ['1', '2', '4'] },
    // Tenths come out as written, not as 0.7000000000000001.
    { text: 'decreaseFactor=0.5..0.9:0.1', values: ['0.5', '0.6', '0.7', '0.8', '0.9'] },
    {
      text: 'decreaseFactor=0.5..0.9:0.05',
      values: ['0.5', '0.55', '0.6', '0.65', '0.7', '0.75', '0.8', '0.85', '0.9'],
    },
    // A step that misses the end stops before it.
    { text: 'initial=1..10:4', values: ['1', '5', '9'] },
    { text: 'initial=4..4:1', values: ['4'] },
    // Lists of ranges.
    { text: 'initial=1,2..8:2,32', values: ['1', '2', '4', '6', '8', '32'] },
    // Durations, and a bare 0 among them.
    { text: 'idleReset=1m..10m:3m', values: ['1m', '4m', '7m', '10m'] },
    { text: 'resumeStagger=0..1s:500ms', values: ['0s', '500ms', '1s'] },
    // Words.
    { text: 'controller=aimd,fixed', values: ['aimd', 'fixed'] },
  ])('$text', ({ text, values }) => {
    expect(valuesOf(text)).toEqual(values);
  });

  it('are not written out before they are asked for', () => {
    const { values } = knob('initial=1..1000000000:1');
    expect(values.count).toBe(1e9);
    expect(values.at(999_999_999)).toBe('1000000000');
  });

  it('belong to an option of the governor, or to any path', () => {
    expect(knob('decreaseFactor=0.5').path).toBe('governor.decreaseFactor');
    expect(knob('providers.acme.models.large.quotas[0].concurrency=1..3:1').path).toBe(
      'providers.acme.models.large.quotas[0].concurrency',
    );
  });

  it.each([
    { text: 'decreaseFaktor=0.5', message: '--grid  decreaseFaktor  no such knob; did you mean "decreaseFactor"?' },
    { text: 'decreaseFactor', message: 'expected name=values' },
    { text: 'decreaseFactor=', message: 'expected name=values' },
    {
      text: 'decreaseFactor=0.9..0.5:0.1',
      message: '0.9..0.5:0.1: is empty, for it ends before it starts; write 0.5..0.9:0.1',
    },
    { text: 'decreaseFactor=0.5..0.9', message: 'needs a step, as 0.5..0.9:0.1' },
    { text: 'decreaseFactor=0.5..0.9:0', message: 'the step must be above 0' },
    { text: 'decreaseFactor=0.5..0.9:-1', message: 'the step must be above 0' },
    { text: 'initial=1..x:1', message: 'expected three numbers or three durations' },
    { text: 'idleReset=1m..10:1m', message: 'mixes numbers and durations' },
    { text: 'initial=1,,2', message: 'has an empty value' },
    { text: 'initial=1..1e300:1', message: 'has too many values' },
    { text: 'a b=1', message: 'cannot be read' },
  ])('are refused in $text', ({ text, message }) => {
    const reading = readKnob(text, schema);
    expect(reading.kind === 'problem' ? reading.message : '').toContain(message);
  });
});

describe('a grid', () => {
  const grid = new Grid([knob('decreaseFactor=0.5,0.75'), knob('increaseAfterSuccesses=1,2,4')]);

  it('numbers its settings, the last knob turning fastest', () => {
    expect(grid.size).toBe(6);
    expect([0, 1, 3].map((setting) => grid.place(setting))).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
    expect(grid.label(grid.place(5))).toBe('decreaseFactor 0.75, increaseAfterSuccesses 4');
    expect(grid.assignments([1, 2])).toEqual(['governor.decreaseFactor=0.75', 'governor.increaseAfterSuccesses=4']);
    for (let setting = 0; setting < grid.size; setting++) expect(grid.number(grid.place(setting))).toBe(setting);
  });

  it('knows the neighbours of a setting', () => {
    expect(grid.neighbours([0, 1])).toEqual([
      [1, 1],
      [0, 0],
      [0, 2],
    ]);
  });
});
