/** `sim tune` as a process: on worker threads, resumed, refused; what it prints and leaves behind. */

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = join(ROOT, 'sim/bin/sim.js');
const scratch = mkdtempSync(join(tmpdir(), 'tidegate-tune-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function sim(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function scenario(name: string, text: string): string {
  const path = join(scratch, `${name}.yaml`);
  writeFileSync(path, text);
  return path;
}

const MODEL = 'quotas: [{ concurrency: 3 }], latency: { firstToken: { exponential: { mean: 1s } }, perOutputToken: 0 }';
const tiny = scenario(
  'tiny',
  `
providers: { acme: { models: { large: { ${MODEL} } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 8, requests: 4 } }] }
`,
);
const endless = scenario(
  'endless',
  `
governor: { retry: { firstDelay: 1s } }
providers: { acme: { models: { large: { quotas: [{ concurrency: 1 }], latency: { firstToken: 1s, perOutputToken: 0 } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 2, requests: 2 } }] }
stop: { after: 1m }
`,
);

describe('sim tune', () => {
  const grid = ['--grid', 'decreaseFactor=0.5..0.9:0.2', '--grid', 'initial=2,8', '--seeds', '3'];

  it('gives the same result on one worker and on three, and again from what is kept', () => {
    const results = ['1', '3'].map((workers) =>
      sim('tune', tiny, ...grid, '--workers', workers, '--json', '--out', join(scratch, workers)),
    );
    expect(results.map(({ status }) => status)).toEqual([0, 0]);
    expect(results[1]!.stdout).toBe(results[0]!.stdout);
    const kept = join(scratch, '1/cells.jsonl');
    const lines = readFileSync(kept, 'utf8').trimEnd().split('\n');
    // As if it had been interrupted half way, in the middle of a line.
    writeFileSync(kept, `${lines.slice(0, 2).join('\n')}\n`);
    appendFileSync(kept, lines[2]!.slice(0, 40));
    const resumed = sim('tune', tiny, ...grid, '--json', '--out', join(scratch, '1'));
    expect(resumed.stdout).toBe(results[0]!.stdout);
    const { recommended, cells, findings } = JSON.parse(resumed.stdout) as {
      recommended: { setting: Record<string, string> };
      cells: { status: string; metrics: Record<string, { mean: number; samples: number } | null> }[];
      findings: string[];
    };
    expect(Object.keys(recommended.setting)).toEqual(['decreaseFactor', 'initial']);
    expect(cells).toHaveLength(6);
    expect(cells.every(({ status, metrics }) => status === 'ok' && metrics.makespan?.samples === 3)).toBe(true);
    expect(findings[0]).toMatch(/^Recommended: decreaseFactor 0\.\d, initial \d/);
  });

  it('leaves a page, a text, pictures, cells and data, and prints where and how to make it again', () => {
    const out = join(scratch, 'files');
    const { status, stdout } = sim('tune', tiny, ...grid, '--out', out);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^6 settings × 1 scenario × 3 seeds · version /);
    expect(lines[1]).toMatch(/^ {2}scenario {2}setting +makespan +refused +used +p99 wait$/);
    // Each of six settings with its figures; a larger grid is shown on the page alone.
    expect(lines.slice(2, 8).map((line) => line.slice(0, 38))).toEqual(
      ['0.5', '0.7', '0.9'].flatMap((factor) =>
        [2, 8].map((initial) => `  tiny      decreaseFactor ${factor}, initial ${initial}`.slice(0, 38)),
      ),
    );
    expect(lines[8]).toMatch(/^ {2}Recommended: /);
    expect(lines.at(-2)).toBe(`  ${join(out, 'tune-tiny')}/report.html`);
    expect(lines.at(-1)).toBe(`npx sim tune ${tiny} --grid decreaseFactor=0.5..0.9:0.2 --grid initial=2,8 --seeds 3`);
    expect(readdirSync(join(out, 'tune-tiny')).sort()).toEqual([
      ...['cells.csv', 'pareto.png', 'refused.png', 'report.html', 'report.md', 'sensitivity.png', 'time-lost.png'],
      'tune.json',
    ]);
    const csv = readFileSync(join(out, 'tune-tiny/cells.csv'), 'utf8').split('\n');
    expect(csv[0]).toMatch(
      /^scenario,decreaseFactor,initial,status,note,makespan,makespan ±,makespan n,refused\.share,/,
    );
    expect(csv).toHaveLength(1 + 6 + 1);
    const html = readFileSync(join(out, 'tune-tiny/report.html'), 'utf8');
    expect(html).not.toMatch(/(src|href)="https?:/);
  });

  it('marks a cell that cannot finish and goes on', () => {
    const { status, stdout } = sim(
      'tune',
      endless,
      '--grid',
      'providers.acme.models.large.quotas[0].concurrency=0,1',
      '--seeds',
      '2',
      '--out',
      join(scratch, 'e'),
    );
    expect(status).toBe(0);
    expect(stdout).toContain(
      'UNFINISHED  endless, providers.acme.models.large.quotas[0].concurrency 0: 2 of 2 runs did not finish',
    );
    expect(stdout).toContain('Recommended: providers.acme.models.large.quotas[0].concurrency 1');
  });

  it('searches for a goal: 0 with the setting that meets it, 1 with the closest where none does', () => {
    const args = [
      tiny,
      '--grid',
      'initial=1..8:1',
      '--minimise',
      'makespan',
      '--seeds',
      '2',
      '--out',
      join(scratch, 'g'),
    ];
    const met = sim('tune', ...args, '--goal', 'refused.share<=0', '--json');
    expect(met.status).toBe(0);
    expect(JSON.parse(met.stdout)).toMatchObject({
      satisfied: true,
      settings: 8,
      found: { setting: { initial: '3' } },
    });
    const missed = sim('tune', ...args, '--goal', 'inFlight.max<1');
    expect(missed.status).toBe(1);
    expect(missed.stdout).toContain('No setting that was tried meets inFlight.max<1; the closest is initial 1.');
  });

  it.each([
    {
      case: 'a goal of nothing known',
      args: [tiny, '--grid', 'initial=1', '--goal', 'refused.shar<1'],
      says: 'did you mean "refused.share"?',
    },
    { case: 'no grid', args: [tiny], says: "required option '--grid <knob=values>' not specified" },
    { case: 'an unknown knob', args: [tiny, '--grid', 'decreaseFaktor=0.5'], says: 'did you mean "decreaseFactor"?' },
    { case: 'an empty range', args: [tiny, '--grid', 'initial=9..1:1'], says: 'is empty' },
    {
      case: 'a value out of range',
      args: [tiny, '--grid', 'decreaseFactor=0.5..1.5:0.5'],
      says: '--grid  governor.decreaseFactor',
    },
    {
      case: 'a path that leads nowhere',
      args: [tiny, '--grid', 'providers.acme.models.small.quotas[0].concurrency=1'],
      says: 'no such name',
    },
    {
      case: 'a knob given twice',
      args: [tiny, '--grid', 'initial=1', '--grid', 'governor.initial=2'],
      says: 'is given twice',
    },
    { case: 'a file that is not there', args: ['none.yaml', '--grid', 'initial=1'], says: 'cannot be read' },
    { case: 'no workers', args: [tiny, '--grid', 'initial=1', '--workers', '0'], says: 'It is a whole number ≥ 1.' },
    {
      case: 'a million cells',
      args: [tiny, '--grid', 'initial=1..1000:1', '--grid', 'increaseAfterSuccesses=1..1000:1', '--workers', '2'],
      says: /1\.?0*M settings × 1 scenario × 20 seeds would take about .* on 2 workers;.*--yes/,
    },
  ])('refuses $case', ({ args, says }) => {
    const { status, stdout, stderr } = sim('tune', ...args, '--out', join(scratch, 'refused'));
    expect(stderr).toMatch(says);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('has a help that ends with two commands to try', () => {
    const { stdout } = sim('tune', '--help');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .slice(-3)
        .map((line) => line.trim().split(' ')[0]),
    ).toEqual(['Try:', 'sim', 'sim']);
  });
});
