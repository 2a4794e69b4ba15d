/** `sim replay` and `sim report` as processes: what a trace gives back, and what is said of one that does not. */

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/results/summary.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = join(ROOT, 'sim/bin/sim.js');
const scratch = mkdtempSync(join(tmpdir(), 'tidegate-traces-'));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function sim(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr, lines: stdout.trimEnd().split('\n') };
}

const QUICK = `
name: quick
providers:
  acme: { profile: zhipu, models: { glm-4.7: { latency: { firstToken: 1s, perOutputToken: 0 } } } }
workload: { runs: [{ id: r, target: acme/glm-4.7, agents: { count: 6, requests: 3, tokens: { input: 10, output: 1 } } }] }
expect: { requests.succeeded: { equals: 18 }, makespan: { max: 1s } }
`;

const out = join(scratch, 'out');
const folder = join(out, 'quick-1');
const trace = join(folder, 'trace.jsonl');

beforeAll(() => {
  writeFileSync(join(scratch, 'quick.yaml'), QUICK);
  expect(sim('run', join(scratch, 'quick.yaml'), '--out', out).status).toBe(1);
});

/** A folder like that of the run, with a trace that was changed. */
function changed(name: string, change: (lines: string[]) => void): string {
  const copy = join(scratch, name);
  cpSync(folder, copy, { recursive: true });
  const lines = readFileSync(trace, 'utf8').trimEnd().split('\n');
  change(lines);
  writeFileSync(join(copy, 'trace.jsonl'), `${lines.join('\n')}\n`);
  return join(copy, 'trace.jsonl');
}

describe('sim replay', () => {
  it('says that the same comes of it, for a profile too, whose rules it knows by its look', () => {
    const { status, lines, stderr } = sim('replay', trace);
    const events = readFileSync(trace, 'utf8').trimEnd().split('\n').length;
    expect([status, stderr]).toEqual([0, '']);
    expect(lines).toEqual([`${trace}: identical, ${events} events to its end`]);
    expect(JSON.parse(sim('replay', trace, '--json').stdout)).toEqual({ kind: 'identical', events, until: 'its end' });
  });

  it('names the first event that differs, with both versions, and exits with 3', () => {
    const path = changed('differs', (lines) => {
      lines[9] = (lines[9] as string).replace(/"t":[\d.]+/, '"t":77');
      lines[12] = '{}';
    });
    const { status, lines } = sim('replay', path);
    expect(status).toBe(3);
    expect(lines[0]).toBe(`${path}: the first event that differs is in line 10`);
    const original = readFileSync(trace, 'utf8').split('\n')[9] as string;
    expect(lines.slice(1)).toEqual([
      `  recorded  ${original.replace(/"t":[\d.]+/, '"t":77')}`,
      `  replayed  ${original}`,
    ]);
    const told = JSON.parse(sim('replay', path, '--json').stdout);
    expect(told).toMatchObject({ kind: 'different', line: 10, replayed: original });
  });

  it.each([
    ['a line too many', (lines: string[]) => lines.push(lines.at(-1) as string), /nothing: the run has ended/],
    ['a line too few', (lines: string[]) => lines.splice(-2, 1), /the first event that differs is in line \d+/],
  ])('%s is a difference', (name, change, words) => {
    const { status, stdout } = sim(
      'replay',
      changed(name.replaceAll(' ', '-'), (lines) => void change(lines)),
    );
    expect([status, stdout]).toEqual([3, expect.stringMatching(words)]);
  });

  it('a record that breaks off, or that an interrupt ended, is the same as far as it goes', () => {
    const broken = changed('broken', (lines) => lines.splice(20));
    truncateSync(broken, readFileSync(broken).length - 15);
    expect(sim('replay', broken)).toMatchObject({
      status: 0,
      lines: [`${broken}: identical, 19 events to where the record breaks off`],
    });
    const interrupted = changed('interrupted', (lines) => {
      const last = JSON.parse(lines.at(-1) as string) as object;
      lines.splice(20, lines.length, JSON.stringify({ ...last, t: 1, complete: false, stop: 'interrupted' }));
    });
    expect(sim('replay', interrupted)).toMatchObject({
      status: 0,
      lines: [`${interrupted}: identical, 20 events to the interrupt`],
    });
  });

  it('says when another version wrote it, and compares what happens', () => {
    const path = changed('older', (lines) => {
      lines[0] = (lines[0] as string).replace(/"version":"[^"]+"/, '"version":"0.0.9"');
    });
    const { status, stderr } = sim('replay', path);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^the trace was written by version 0\.0\.9; this is version \d/);
  });

  it('lays a run over HTTP beside what the simulator makes of it', () => {
    const place = join(scratch, 'loopback');
    const file = join(scratch, 'quick.yaml');
    expect(sim('run', file, '--loopback', '--speed', '20', '--quiet', '--out', place).status).toBe(1);
    const path = join(place, 'quick-1', 'trace.jsonl');
    const { status, lines } = sim('replay', path);
    expect(status).toBe(0);
    expect(lines[0]).toMatch(/^ {2}quick, seed 1 +recorded, loopback +simulated$/);
    expect(lines.find((line) => line.includes('succeeded'))).toMatch(/ 18 +18$/);
    const { recorded, replayed } = JSON.parse(sim('replay', path, '--json').stdout);
    expect([recorded.mode, replayed.mode, replayed.requests.succeeded]).toEqual(['loopback', 'simulated', 18]);
  });
});

describe('sim report', () => {
  const FILES = ['cap.png', 'report.html', 'report.md', 'summary.json', 'timeseries.csv'];
  const bytesOf = (place: string) => FILES.map((name) => readFileSync(join(place, name)).toString('base64'));

  it('makes the very files that the run left, beside the trace, and says what the run said', () => {
    const copy = join(scratch, 'bare');
    cpSync(folder, copy, { recursive: true });
    for (const name of FILES) rmSync(join(copy, name));
    const { status, stderr, lines } = sim('report', join(copy, 'trace.jsonl'));
    expect([status, stderr]).toEqual([0, '']);
    expect(lines[0]).toMatch(/^quick · seed 1 · controller aimd · simulated · version /);
    expect(lines.filter((line) => /^ {2}(PASS|FAIL) {2}/.test(line))).toHaveLength(2);
    expect(readdirSync(copy).sort()).toEqual([...FILES, 'trace.jsonl']);
    expect(bytesOf(copy)).toEqual(bytesOf(folder));
  });

  it('makes them elsewhere with --out, whatever the trace is called', () => {
    const named = join(scratch, 'kept.jsonl');
    cpSync(trace, named);
    const place = join(scratch, 'elsewhere');
    const { status, stdout } = sim('report', named, '--out', place, '--json');
    expect(status).toBe(0);
    expect(readdirSync(join(place, 'quick-1')).sort()).toEqual(FILES);
    expect(bytesOf(join(place, 'quick-1'))).toEqual(bytesOf(folder));
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')));
  });

  it('of a trace that breaks off tells what is there', () => {
    const path = changed('cut', (lines) => lines.splice(30));
    appendFileSync(path, '{"t":12');
    const { status, stderr } = sim('report', path, '--json');
    expect([status, stderr]).toEqual([0, `${path}: line 31 breaks off and is left out\n`]);
    const summary = JSON.parse(readFileSync(join(path, '..', 'summary.json'), 'utf8')) as Summary;
    expect(summary.complete).toBe(false);
  });

  it('of one that breaks an invariant names the event, and writes nothing', () => {
    const path = changed('wrong', (lines) => {
      const settled = lines.findIndex((line) => line.includes('"request-settled"'));
      lines.splice(settled, 0, lines[settled] as string);
    });
    renameSync(join(path, '..', 'report.md'), join(path, '..', 'before.md'));
    const { status, stderr, stdout } = sim('report', path);
    expect([status, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/one-settlement .*; line \d+ of the trace: \{"t":/);
    expect(readdirSync(join(path, '..'))).not.toContain('report.md');
  });
});

describe('what is no trace', () => {
  const bad = (name: string, text: string): string => {
    const path = join(scratch, name);
    writeFileSync(path, text);
    return path;
  };

  it.each([
    ['replay', 'missing', () => join(scratch, 'nowhere.jsonl'), 'give the trace.jsonl of a run'],
    ['report', 'missing', () => join(scratch, 'nowhere.jsonl'), 'give the trace.jsonl of a run'],
    ['replay', 'a folder', () => folder, 'give the trace.jsonl of a run'],
    ['replay', 'empty', () => bad('empty.jsonl', ''), 'is empty; a trace begins with a trace-started event'],
    ['report', 'empty', () => bad('empty.jsonl', ''), 'is empty; a trace begins with a trace-started event'],
    ['replay', 'something else', () => bad('else.jsonl', '{"a":1}\n'), 'is no event'],
    ['report', 'no JSON', () => bad('text.jsonl', 'hello\nyou\n'), 'line 1 is not JSON'],
    ['replay', 'no JSON', () => bad('text.jsonl', 'hello\nyou\n'), 'line 1 is not JSON'],
  ])('%s: %s is said in one line, exit 2', (command, _, path, message) => {
    const { status, stdout, stderr } = sim(command, path());
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
