/** A study that is cut short, with real signals and real threads that die: what is finished is kept, and nothing else is lost. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = join(ROOT, 'sim/bin/sim.js');
const scratch = mkdtempSync(join(tmpdir(), 'tidegate-cut-short-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  const ended = once(child, 'close').then(([status]): Ended => ({ status: status as number | null, ...said }));
  return { child, ended };
}

function scenario(name: string, governor: string, requests: number): string {
  const path = join(scratch, `${name}.yaml`);
  const model =
    '{ quotas: [{ concurrency: 3 }], latency: { firstToken: { exponential: { mean: 1s } }, perOutputToken: 0 } }';
  writeFileSync(
    path,
    `
governor: { ${governor} }
providers: { acme: { models: { large: ${model} } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 20, name: 'a-{n}', requests: ${requests} } }] }
`,
  );
  return path;
}

function keptIn(out: string): readonly string[] {
  return readFileSync(join(out, 'cells.jsonl'), 'utf8').trimEnd().split('\n');
}

/** When the study has finished as many pieces of work. */
async function finished(out: string, pieces: number): Promise<void> {
  mkdirSync(out, { recursive: true });
  const watcher = watch(out);
  try {
    const isReached = (): boolean => {
      try {
        return keptIn(out).length >= pieces;
      } catch {
        return false;
      }
    };
    while (!isReached()) await once(watcher, 'change');
  } finally {
    watcher.close();
  }
}

describe('a study that is cut short', () => {
  it('by Ctrl-C: keeps the finished cells, and the same command goes on from there to the same result', async () => {
    const file = scenario('long', 'initial: 8', 60);
    const out = join(scratch, 'interrupted');
    const args = [
      ...['tune', file, '--grid', 'decreaseFactor=0.5..0.9:0.05', '--grid', 'increaseAfterSuccesses=1..6:1'],
      ...['--seeds', '2', '--workers', '2', '--json'],
    ];
    const first = start([...args, '--out', out]);
    await finished(out, 2);
    first.child.kill('SIGINT');
    const interrupted = await first.ended;
    expect(interrupted.stderr).toContain(
      'interrupted: finished cells are kept, and the same command goes on from there',
    );
    expect([interrupted.status, interrupted.stdout]).toEqual([130, '']);
    const before = keptIn(out);

    const [resumed, whole] = await Promise.all(
      [out, join(scratch, 'whole')].map((folder) => start([...args, '--out', folder]).ended),
    );
    expect(resumed?.status).toBe(0);
    expect(resumed?.stdout).toBe(whole?.stdout);
    const after = keptIn(out);
    expect(after.slice(0, before.length)).toEqual(before);
    const runs = after.flatMap((line) => {
      const { cell, rows } = JSON.parse(line) as { cell: string; rows: { seed: number }[] };
      return rows.map(({ seed }) => `${cell} ${seed}`);
    });
    // 54 settings and the oracle on two seeds, each run once.
    expect([before.length < after.length, runs.length, new Set(runs).size]).toEqual([true, 110, 110]);
  });

  it('by the death of a worker: its cell is tried again, and one that kills twice is named and costs no other', async () => {
    const marker = join(scratch, 'died-once');
    writeFileSync(
      join(scratch, 'deadly.mjs'),
      `
import { existsSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { AimdController } from ${JSON.stringify(join(ROOT, 'governor/dist/index.js'))};
export default class Deadly extends AimdController {
  constructor(options) {
    super(options);
    const isFirst = options.initial === 3 && !existsSync(${JSON.stringify(marker)});
    if (isFirst) writeFileSync(${JSON.stringify(marker)}, '');
    if (!isMainThread && (isFirst || options.initial === 4)) process.exit(7);
  }
}
`,
    );
    const file = scenario('deadly', 'controller: ./deadly.mjs', 2);
    const args = ['tune', file, '--grid', 'initial=2,3,4,5', '--seeds', '2', '--workers', '2'];
    const { status, stdout, stderr } = await start([...args, '--out', join(scratch, 'deadly')]).ended;
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => /DIED|BROKEN|UNFINISHED/.test(line))).toEqual([
      expect.stringMatching(/^ {2}DIED {2}deadly, initial 4: .*exit/),
    ]);
    expect(readFileSync(marker, 'utf8')).toBe('');
    expect(status).toBe(4);
  });
});
