import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/scenario/problems.js';
import { loadScenarioFile } from '../../src/scenario/scenario-file.js';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'scenario-'));

afterAll(() => rmSync(scratch, { recursive: true }));

function problemsOf(path: string): readonly string[] {
  const result = loadScenarioFile(path);
  return result.kind === 'problems'
    ? result.problems.map((problem) => formatProblem(problem).replace(path, 'FILE'))
    : [];
}

describe('a scenario file', () => {
  it('is loaded with the files it names, which lie beside it', () => {
    const result = loadScenarioFile(join(fixtures, 'with-csv.yaml'), { seed: 7 });
    expect(result.kind).toBe('scenario');
    const scenario = result.kind === 'scenario' ? result.scenario : undefined;
    expect(scenario?.name).toBe('with-csv');
    expect(scenario?.seed).toBe(7);
    expect(scenario?.workload.runs[0]?.agents.population).toEqual({
      kind: 'rows',
      rows: [
        { name: 'src/a.ts', inputTokens: 251, outputTokens: 20 },
        { name: 'src/b, c.ts', inputTokens: 0, outputTokens: 0 },
      ],
    });
    expect(scenario?.providers.acme?.models.large?.latency.service).toMatchObject({
      firstTokenMs: { values: [120, 1500] },
    });
  });

  it.each([
    ['is absent', join(fixtures, 'nowhere.yaml'), 'FILE  cannot be read: no such file'],
    ['is below a file', join(fixtures, 'empty.yaml', 'x.yaml'), 'FILE  cannot be read: no such file'],
    ['is a directory', fixtures, 'FILE  cannot be read: it is a directory'],
    ['is binary', join(fixtures, 'binary.yaml'), 'FILE  cannot be read: it is not text in UTF-8'],
    ['is not UTF-8', join(fixtures, 'latin1.yaml'), 'FILE  cannot be read: it is not text in UTF-8'],
    [
      'is empty',
      join(fixtures, 'empty.yaml'),
      'FILE:1:1  is empty; a scenario is a mapping with providers and workload',
    ],
  ])('that %s is one problem', (_, path, line) => {
    expect(problemsOf(path)).toEqual([line]);
  });

  it('of more than four megabytes is one problem', () => {
    const path = join(scratch, 'large.yaml');
    writeFileSync(path, `# ${'x'.repeat(4 * 1024 * 1024)}\n`);
    expect(problemsOf(path)).toEqual(['FILE  cannot be read: it is larger than 4 MB']);
  });
});
