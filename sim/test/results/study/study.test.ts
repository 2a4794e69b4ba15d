import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CellStore } from '../../../src/results/study/cell-store.js';
import { digestOf, programDigest } from '../../../src/results/study/program-text.js';
import { type RunRow, type RunTask, runRows } from '../../../src/results/study/run-row.js';
import { type Cell, runCells, StudyInterrupted } from '../../../src/results/study/study.js';
import type { Workers } from '../../../src/results/study/worker-pool.js';
import { scenarioText } from '../../simulate.js';

const scratch = mkdtempSync(join(tmpdir(), 'tidegate-study-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let files = 0;
const storePath = (): string => join(scratch, `cells-${files++}.jsonl`);

/** Three subagents of two requests each against a provider that takes two; a cell per number of output tokens. */
function cell(output: number): Cell {
  const text = `
providers: { acme: { models: { large: { quotas: [{ concurrency: 2 }], latency: { firstToken: { exponential: { mean: 1s } }, perOutputToken: 1ms } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 3, requests: 2, tokens: { input: 10, output: ${output} } } }] }
`;
  return { label: `output ${output}`, scenario: scenarioText(text), folder: '.' };
}

/** Runs in this thread; remembers its tasks and lets `deaths` of them die. */
function workers(
  count: number,
  deaths: (task: RunTask) => boolean = () => false,
): Workers & { readonly tasks: RunTask[] } {
  const tasks: RunTask[] = [];
  return {
    count,
    tasks,
    async run(task) {
      tasks.push(task);
      if (deaths(task)) throw new Error('worker exited with code: 3');
      return runRows(task);
    },
    async close() {},
  };
}

const seeds = [1, 2, 3, 4, 5];

describe('a study', () => {
  it('gives the same rows in the same order whatever the number of workers', async () => {
    const cells = [cell(1), cell(500), cell(1000)];
    const results = await Promise.all(
      [1, 2, 5].map((count) =>
        runCells(cells, seeds, { workers: workers(count), store: new CellStore(storePath()), version: 'v' }),
      ),
    );
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(results[0]!.map(({ rows }) => rows.map(({ seed }) => seed))).toEqual([seeds, seeds, seeds]);
    expect(results[0]![0]!.rows[0]).toMatchObject({ stop: 'done', values: { 'requests.lost': 0, fairness: null } });
  });

  it('does no run again that the store has: of the same content, not of the same name', async () => {
    const path = storePath();
    const options = { store: new CellStore(path), version: 'v' };
    const first = await runCells([cell(1)], [1, 2], { ...options, workers: workers(1) });
    const again = workers(1);
    const renamed = { ...cell(1), scenario: { ...cell(1).scenario, name: 'other', question: 'why?' } };
    const later = await runCells([renamed, cell(2)], [1, 2, 3], {
      ...{ store: new CellStore(path), version: 'v', workers: again },
    });
    expect(again.tasks.flatMap((task) => task.seeds)).toEqual([3, 1, 2, 3]);
    expect(later[0]!.rows.slice(0, 2)).toEqual(first[0]!.rows);
  });

  it('runs again under another version, and for a field that was not kept', async () => {
    const path = storePath();
    const run = async (version: string, fields: readonly string[]) => {
      const used = workers(1);
      const [result] = await runCells([cell(1)], [1], { store: new CellStore(path), version, fields, workers: used });
      return { tasks: used.tasks.length, values: result!.rows[0]!.values };
    };
    expect((await run('v', [])).tasks).toBe(1);
    expect((await run('v', [])).tasks).toBe(0);
    expect((await run('w', [])).tasks).toBe(1);
    const asked = await run('v', ['inFlight.max']);
    expect(asked).toMatchObject({ tasks: 1, values: { 'inFlight.max': 3 } });
    expect((await run('v', ['inFlight.max'])).tasks).toBe(0);
  });

  it('tells a changed program from the one before, by its modules and not by their types', () => {
    const folder = mkdtempSync(join(scratch, 'program-'));
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return digestOf([folder]);
    };
    const first = write('law.js', 'export const K = 4;');
    expect(write('law.js', 'export const K = 5;')).not.toBe(first);
    expect(write('law.js', 'export const K = 4;')).toBe(first);
    expect(write('law.d.ts', 'export const K: number;')).toBe(first);
    expect(write('other.js', '')).not.toBe(first);
    expect(programDigest()).toMatch(/^[0-9a-f]{32}$/);
  });

  it('reads a store whose last line broke off, and goes on behind it', async () => {
    const path = storePath();
    await runCells([cell(1)], [1], { store: new CellStore(path), version: 'v', workers: workers(1) });
    appendFileSync(path, '{"cell":"abc","rows":[{"se');
    await runCells([cell(2)], [1], { store: new CellStore(path), version: 'v', workers: workers(1) });
    const used = workers(1);
    await runCells([cell(1), cell(2)], [1], { store: new CellStore(path), version: 'v', workers: used });
    expect(used.tasks).toEqual([]);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
  });

  it('tries a piece again whose worker died, and names the cell when it dies twice', async () => {
    let deaths = 0;
    const once = workers(1, () => deaths++ === 0);
    const store = (): CellStore => new CellStore(storePath());
    const recovered = await runCells([cell(1)], [1], { store: store(), version: 'v', workers: once });
    expect(recovered[0]).toMatchObject({ rows: [{ seed: 1, stop: 'done' }] });
    const deadly = workers(2, ({ scenario }) => JSON.stringify(scenario).includes('"value":666'));
    const [sound, dead] = await runCells([cell(1), cell(666)], [1, 2], {
      store: store(),
      version: 'v',
      workers: deadly,
    });
    expect(sound!.rows).toHaveLength(2);
    expect(dead).toEqual({ rows: [], died: 'worker exited with code: 3' });
    expect(deadly.tasks.filter((task) => JSON.stringify(task).includes('"value":666'))).toHaveLength(4);
  });

  it('ends at an interrupt and keeps what is finished', async () => {
    const path = storePath();
    const interrupt = new AbortController();
    const study = runCells([cell(1), cell(2), cell(3)], [1], {
      ...{ store: new CellStore(path), version: 'v', workers: workers(1), interrupt: interrupt.signal },
      progress: (done) => {
        if (done === 1) interrupt.abort();
      },
    });
    await expect(study).rejects.toThrow(StudyInterrupted);
    const rest = workers(1);
    await runCells([cell(1), cell(2), cell(3)], [1], { store: new CellStore(path), version: 'v', workers: rest });
    expect(rest.tasks.length).toBeLessThan(3);
  });

  it('keeps no run whose check broke', () => {
    const path = storePath();
    const broken: RunRow = { seed: 1, values: {}, stop: 'broken', detail: 'event 3: …' };
    const store = new CellStore(path);
    store.add('cell', [broken]);
    expect(store.row('cell', 1, [])).toEqual(broken);
    expect(new CellStore(path).row('cell', 1, [])).toBeUndefined();
  });
});
