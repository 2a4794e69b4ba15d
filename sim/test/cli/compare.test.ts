/** `sim compare` as a process: what it prints, leaves behind and refuses. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = join(ROOT, 'sim/bin/sim.js');
const scratch = mkdtempSync(join(tmpdir(), 'tidegate-compare-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function sim(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const file = join(scratch, 'tiny.yaml');
writeFileSync(
  file,
  `
question: Who is faster?
providers: { acme: { models: { large: { quotas: [{ concurrency: 3 }], latency: { firstToken: 1s, perOutputToken: 0 } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 8, requests: 4 } }] }
expect: { 'keys["acme/large"].cap.final': { min: 1 } }
`,
);

describe('sim compare', () => {
  it('tabulates, claims what is beyond noise, and always runs the oracle', () => {
    const out = join(scratch, 'out');
    const { status, stdout } = sim('compare', file, '--controllers', 'aimd,fixed:1,none', '--seeds', '8', '--out', out);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^tiny · 4 controllers × 8 seeds \(.*\) · version /);
    expect(lines[1]!.trim().split(/\s+/)).toEqual(['aimd', 'fixed:1', 'none', 'oracle']);
    expect(lines.find((line) => line.startsWith('  makespan'))).toContain('32s ± 0s');
    expect(stdout).toMatch(/fixed:1 takes \d+ % \(± [\d.]+ %\) longer than aimd: 32s against /);
    expect(lines.at(-1)).toBe(`npx sim compare ${file} --controllers aimd,fixed:1,none --seeds 8`);
    expect(readdirSync(join(out, 'compare-tiny')).sort()).toEqual([
      ...['cap.png', 'compare.csv', 'compare.json', 'makespan.png', 'refused.png', 'report.html', 'report.md'],
      'trade-off.png',
    ]);
  });

  it('prints the same result from the kept runs, as JSON alone', () => {
    const args = [
      'compare',
      file,
      '--controllers',
      'aimd,none',
      '--seeds',
      '8',
      '--json',
      '--out',
      join(scratch, 'json'),
    ];
    const [first, again] = [sim(...args), sim(...args, '--workers', '1')];
    expect(again.stdout).toBe(first.stdout);
    expect(JSON.parse(first.stdout)).toMatchObject({
      ...{
        scenario: 'tiny',
        seeds: 8,
        contenders: [{ name: 'aimd', finished: 8 }, { name: 'none' }, { name: 'oracle' }],
      },
      contenders: [{}, {}, { metrics: { regret: { mean: 0 } } }],
    });
  });

  it("runs a controller of one's own, and names one whose worker dies twice", () => {
    const governor = join(ROOT, 'node_modules/@tidegate/governor/dist/controllers.js');
    writeFileSync(
      join(scratch, 'own.mjs'),
      `import { FixedController } from '${governor}';\nexport default (key) => new FixedController({ key, cap: 3 });\n`,
    );
    writeFileSync(
      join(scratch, 'deadly.mjs'),
      'import { isMainThread } from "node:worker_threads";\nif (!isMainThread) process.exit(3);\n',
    );
    const args = ['--seeds', '2', '--set', 'governor.initial=3', '--out', join(scratch, 'own')];
    const { status, stdout } = sim('compare', file, '--controllers', 'fixed:3,./own.mjs,./deadly.mjs', ...args);
    expect(status).toBe(4);
    expect(stdout).toContain(
      './deadly.mjs did not finish 2 of 2 runs (its worker died twice: worker exited with code: 3)',
    );
  });

  it.each([
    { case: 'no controllers', args: [file], says: "required option '--controllers <names>' not specified" },
    { case: 'an unknown controller', args: [file, '--controllers', 'aimd,gradient'], says: '--controllers' },
    { case: 'a file that is not there', args: ['none.yaml', '--controllers', 'aimd'], says: 'cannot be read' },
    { case: 'no seeds', args: [file, '--controllers', 'aimd', '--seeds', '0'], says: 'It is a whole number ≥ 1.' },
  ])('refuses $case', ({ args, says }) => {
    const { status, stdout, stderr } = sim('compare', ...args, '--out', join(scratch, 'refused'));
    expect(stderr).toContain(says);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('has a help that ends with two commands to try', () => {
    const lines = sim('compare', '--help').stdout.trimEnd().split('\n').slice(-3);
    expect(lines.map((line) => line.trim().split(' ')[0])).toEqual(['Try:', 'sim', 'sim']);
  });
});
