/** The command line as a process: what it prints where, what it leaves behind, and its exit codes. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/results/summary.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = join(ROOT, 'sim/bin/sim.js');
const scratch = mkdtempSync(join(tmpdir(), 'tidegate-cli-'));
const out = join(scratch, 'out');

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function sim(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr, lines: stdout.trimEnd().split('\n') };
}

function scenario(name: string, text: string | Uint8Array): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

const TINY = `
name: tiny
providers: { acme: { models: { large: { quotas: [{ concurrency: 2 }], latency: { firstToken: 1s, perOutputToken: 0 } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 3, requests: 2 } }] }
`;

describe('sim run', () => {
  it('says who ran first, a verdict per expectation, and last the command that runs it again', () => {
    const { status, stderr, lines } = sim(
      'run',
      'scenarios/staircase.yaml',
      '--out',
      out,
      '--set',
      'governor.initial=4',
    );
    expect(status).toBe(0);
    expect(stderr).toBe('');
    expect(lines[0]).toMatch(/^staircase · seed 1 · controller none · simulated · version \d+\.\d+\.\d+$/);
    expect(lines.filter((line) => line.startsWith('  PASS  '))).toHaveLength(4);
    expect(lines.at(-1)).toBe('npx sim run scenarios/staircase.yaml --seed 1 --set governor.initial=4');
  });

  it('leaves six files, and the hash in the summary is that of the trace', () => {
    sim('run', 'scenarios/fanout30.yaml', '--out', out);
    const folder = join(out, 'fanout30-1');
    expect(readdirSync(folder).sort()).toEqual([
      'cap.png',
      'report.html',
      'report.md',
      'summary.json',
      'timeseries.csv',
      'trace.jsonl',
    ]);
    const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Summary;
    const sha256 = createHash('sha256')
      .update(readFileSync(join(folder, 'trace.jsonl')))
      .digest('hex');
    expect(summary.traceSha256).toBe(sha256);
    expect(readdirSync(out).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('prints the summary alone with --json, one line per run, also when an expectation fails', () => {
    const args = ['--json', '--no-trace', '--out', out, '--set', 'expect={ makespan: { max: 1s } }'];
    const { status, lines, stderr } = sim('run', 'scenarios/fanout30.yaml', 'scenarios/retry-after.yaml', ...args);
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `fanout30: ${out}/fanout30-1/report.html`,
      `retry-after: ${out}/retry-after-1/report.html`,
    ]);
    const summaries = lines.map((line) => JSON.parse(line) as Summary);
    expect(summaries.map(({ scenario, traceSha256 }) => [scenario, traceSha256])).toEqual([
      ['fanout30', null],
      ['retry-after', null],
    ]);
    expect(existsSync(join(out, 'fanout30-1', 'trace.jsonl'))).toBe(false);
  });

  it('says only what failed with --quiet', () => {
    expect(sim('run', 'scenarios/staircase.yaml', '--quiet', '--out', out).stdout).toBe('');
    const failing = sim('run', 'scenarios/fanout30.yaml', '--quiet', '--out', out, '--set', 'expect.makespan.max=1s');
    expect(failing.lines.filter((line) => line.includes('FAIL'))).toEqual([
      '  FAIL  makespan is 1m 55s, expected at most 1s',
    ]);
  });

  it.each([
    ['stop.after', ['--set', 'stop.after=10s'], 4, 'stopped: stop.after 10000 ms came before the work was done'],
    [
      'stop.maxRequests',
      ['--set', 'stop.maxRequests=20'],
      4,
      'stopped: stop.maxRequests 20 requests came before the work was done',
    ],
    [
      'stop.when time, which ends where it should',
      ['--set', 'stop={ when: time, after: 10s }', '--set', 'expect={}'],
      0,
      undefined,
    ],
    [
      'a quota that lets nothing through, ever',
      ['--set', 'providers.acme.models.large.quotas[0].concurrency=0', '--set', 'stop={}'],
      4,
      'raise providers.acme.models.large.quotas[0].concurrency;',
    ],
    [
      'zero service time, zero delays and no way through',
      [
        ...['--set', 'providers.acme.models.large.quotas[0].concurrency=0', '--set', 'stop={}'],
        ...['--set', 'governor.retry={ firstDelay: 0, maxDelay: 0 }'],
        ...['--set', 'providers.acme.models.large.latency={ refusal: 0 }'],
      ],
      4,
      'give at least one step of this circle a time above 0: a latency (latency, latency.refusal)',
    ],
  ])('%s gives its exit code, says why, and the results are kept', (_, args, code, why) => {
    const { status, stderr, lines } = sim(
      'run',
      'scenarios/fanout30.yaml',
      '--json',
      '--no-trace',
      '--out',
      out,
      ...args,
    );
    expect(status).toBe(code);
    expect((JSON.parse(lines[0] as string) as Summary).complete).toBe(code === 0);
    if (why === undefined) expect(stderr).not.toContain('stopped');
    else expect(stderr).toContain(why);
  });

  it('does the same over HTTP with --loopback, and says so', () => {
    const tiny = scenario('tiny.yaml', TINY);
    const { status, stderr, lines } = sim('run', tiny, '--loopback', '--speed', '50', '--out', out);
    expect([status, stderr]).toEqual([0, '']);
    expect(lines[0]).toMatch(/^tiny · seed 1 · controller aimd · loopback · version /);
    expect(lines.at(-1)).toBe(`npx sim run ${tiny} --seed 1 --loopback --speed 50`);
    const summary = JSON.parse(readFileSync(join(out, 'tiny-1', 'summary.json'), 'utf8')) as Summary;
    expect(summary).toMatchObject({ mode: 'loopback', complete: true, requests: { logical: 6, succeeded: 6 } });
  });

  it('writes what held and what did not as JUnit XML, of all runs in one file', () => {
    const file = join(scratch, 'reports', 'junit.xml');
    const args = ['--quiet', '--out', out, '--junit', file, '--set', 'expect={ makespan: { max: 1s } }'];
    expect(sim('run', 'scenarios/fanout30.yaml', 'scenarios/staircase.yaml', ...args).status).toBe(1);
    const xml = readFileSync(file, 'utf8');
    expect(xml.match(/<testsuite name="[^"]+"/g)).toEqual([
      '<testsuite name="fanout30"',
      '<testsuite name="staircase"',
    ]);
    expect(xml.match(/<failure [^>]*message="[^"]*"/g)).toEqual([
      '<failure type="expectations" message="makespan is 1m 55s, expected at most 1s"',
      expect.stringContaining('expected at most 1s'),
    ]);
  });

  it.each([
    ['in virtual time', [], 'count: 1000, requests: 2000'],
    ['over HTTP, where nothing of it goes on', ['--loopback'], 'count: 50, requests: 50'],
  ])('ends early on Ctrl-C with readable results, %s', (_, args, agents) => {
    const slow = scenario('slow.yaml', TINY.replace('count: 3, requests: 2', agents));
    const place = join(scratch, `interrupted${args.join('')}`);
    const child = spawnSync(
      'sh',
      [
        '-c',
        `"$0" "$1" run "$2" --out "$3" ${args.join(' ')} & pid=$!; while [ ! -d "$3" ]; do sleep 0.05; done; sleep 0.3; kill -INT $pid; wait $pid`,
        process.execPath,
        BIN,
        slow,
        place,
      ],
      { encoding: 'utf8' },
    );
    expect(child.status).toBe(130);
    const folder = join(place, 'tiny-1');
    const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Summary;
    expect(summary.complete).toBe(false);
    const last = readFileSync(join(folder, 'trace.jsonl'), 'utf8').trimEnd().split('\n').at(-1) as string;
    expect(JSON.parse(last)).toMatchObject({ type: 'trace-finished', complete: false, stop: 'interrupted' });
  });
});

describe('bad input', () => {
  it.each([
    [
      'an unknown key',
      TINY.replace('concurrency', 'concurency'),
      /:3:\d+ {2}.*quotas\[0\].*did you mean "concurrency"\?/,
    ],
    ['a wrong unit', TINY.replace('1s', '1sec'), /firstToken.*1sec/],
    ['a negative number', TINY.replace('concurrency: 2', 'concurrency: -2'), /concurrency.*≥ 0, got -2/],
    ['a floor above initial', `${TINY}governor: { floor: 9 }\n`, /governor\.floor.*initial/],
    [
      'a module that is not there',
      `${TINY}governor: { controller: ./mine.js }\n`,
      /bad\.yaml:\d+:25 {2}governor\.controller {2}\.\/mine\.js: no such file/,
    ],
    ['an empty file', '', /empty/],
    ['a list', '- 1\n', /mapping/],
    ['a binary file', new Uint8Array([0, 159, 146, 150]), /not text/],
    ['a line of a megabyte', `name: ${'a'.repeat(1_000_000)}\n`, /name {2}expected a name/],
    [
      'an observer that says neither whom it asks nor how often',
      TINY.replace('workload: {', 'workload: { observers: [{ id: user }],'),
      /observers\[0\]\.target.*is missing.*\n.*observers\[0\]\.rate.*is missing/,
    ],
  ])('%s: one clear message per problem, exit 2, nothing left behind', (_, text, message) => {
    const place = join(scratch, 'nothing');
    const { status, stdout, stderr } = sim('run', scenario('bad.yaml', text), '--out', place);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\bat .*\(|node:|\.js:\d/);
    expect(stderr.length).toBeLessThan(1_000);
    expect(existsSync(place)).toBe(false);
  });

  it.each([
    ['a missing file', ['run', 'scenarios/nowhere.yaml'], 'no such file'],
    ['a directory', ['run', 'scenarios'], 'it is a directory'],
    ['a mistyped command', ['rnu', 'x'], 'Did you mean run?'],
    ['a mistyped option', ['run', 'x', '--sed', '1'], '--seed'],
    ['a seed that is none', ['run', 'x', '--seed', '-1'], '--seed'],
    [
      'a path that is none',
      ['run', 'scenarios/fanout30.yaml', '--set', 'governor.inital=3'],
      'did you mean "initial"?',
    ],
    ['a JUnit file without a name', ['run', 'x', '--junit'], 'argument missing'],
    [
      'a JUnit file that cannot be written',
      ['run', 'scenarios/staircase.yaml', '--quiet', '--out', out, '--junit', BIN.concat('/x.xml')],
      'choose another place with --junit FILE',
    ],
    ['an endpoint in virtual time', ['run', 'scenarios/fanout30.yaml', '--base-url', 'http://[::1]'], 'add --live'],
    ['a run in two places', ['run', 'scenarios/fanout30.yaml', '--live', '--loopback'], 'choose one'],
    ['a speed in virtual time', ['run', 'scenarios/fanout30.yaml', '--speed', '2'], 'add --loopback'],
    [
      'a clairvoyant of a served provider',
      ['run', 'scenarios/fanout30.yaml', '--loopback', '--controller', 'oracle'],
      'leave --loopback and --live out',
    ],
    ['a speed that is none', ['run', 'scenarios/fanout30.yaml', '--loopback', '--speed', '0'], 'a number above 0'],
  ])('%s: exit 2 and what to do', (_, args, message) => {
    const { status, stderr } = sim(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  it('a place for results that cannot be written keeps what was there', () => {
    const file = scenario('a-file', 'precious');
    const { status, stderr } = sim('run', 'scenarios/staircase.yaml', '--out', file);
    expect(status).toBe(2);
    expect(stderr).toContain('--out');
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('a problem in one of several scenarios runs none of them', () => {
    const place = join(scratch, 'none-of-them');
    mkdirSync(place);
    const bad = scenario('second.yaml', 'name: [');
    expect(sim('run', 'scenarios/staircase.yaml', bad, '--out', place).status).toBe(2);
    expect(readdirSync(place)).toEqual([]);
  });
});

describe('help', () => {
  /** Where a newcomer stands: the scenarios are there, and no results. */
  const place = join(scratch, 'newcomer');
  mkdirSync(place);
  symlinkSync(join(ROOT, 'scenarios'), join(place, 'scenarios'));

  it.each([[[]], [['run']], [['replay']], [['report']], [['check']], [['list']], [['schema']]])(
    'of sim %s ends with two commands that work as printed',
    (command) => {
      const { stdout, status } = sim(...command, '--help');
      expect(status).toBe(0);
      const examples = stdout.trimEnd().split('\n').slice(-2);
      expect(examples.every((line) => line.startsWith('  sim '))).toBe(true);
      for (const example of examples) {
        const shell = example.trim().replace(/^sim/, `"${process.execPath}" "${BIN}"`);
        const { status: exit } = spawnSync('sh', ['-c', shell], { cwd: place });
        expect([example, exit]).toEqual([example, 0]);
      }
    },
  );

  it('fits a narrow terminal, but for commands to be copied', () => {
    const env = { ...process.env, COLUMNS: '60' };
    const { stdout } = spawnSync(process.execPath, [BIN, 'tune', '--help'], { encoding: 'utf8', env });
    const lines = stdout.split('\n').filter((line) => !line.startsWith('  sim '));
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('With --goal or --minimise the grid is searched, not tabulated.');
  });

  it('comes by itself when nothing is asked', () => {
    const { status, stdout } = sim();
    expect(status).toBe(0);
    expect(stdout).toContain('sim run scenarios/fanout30.yaml');
  });
});
