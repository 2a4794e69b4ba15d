import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { summarise } from '../../src/results/expectations.js';
import { Metrics } from '../../src/results/metrics.js';
import { type FolderContents, type Renderers, RunFolder } from '../../src/results/run-folder.js';
import { TimeSeries, toCsv } from '../../src/results/timeseries.js';
import { coverChart, toReport } from '../../src/results/to-report.js';
import { OutputError } from '../../src/trace/output-error.js';
import { SCENARIO, STORY } from './hand-written-trace.js';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'results-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const plain: Renderers = {
  renderHtml: () => 'the page',
  renderMarkdown: (_, options) => `the text with ${JSON.stringify(options)}`,
  renderPng: async () => Uint8Array.from([1, 2, 3]),
};

function open(options: { readonly out?: string; readonly trace?: boolean } = {}): RunFolder {
  return new RunFolder({ out: base, name: 'by-hand', seed: 7, trace: true, ...options });
}

/** Runs the story into the folder. */
function results(folder: RunFolder): FolderContents {
  const metrics = new Metrics();
  const series = new TimeSeries();
  for (const event of STORY) {
    folder.trace?.observe(event);
    metrics.observe(event);
    series.observe(event);
  }
  const summary = summarise(metrics.figures(), [], folder.trace?.close() ?? null);
  const report = toReport({ scenario: SCENARIO, summary, series: series.series(), replay: 'sim run by-hand.yaml' });
  return { summary, csv: toCsv(series.series().keys), report, cover: coverChart(series.series()) };
}

describe('the folder of a run', () => {
  it('has all results in it, and the folder around it nothing else', async () => {
    const folder = open();
    expect(folder.path).toBe(join(base, 'by-hand-7'));
    expect(existsSync(folder.path)).toBe(false);
    const contents = results(folder);
    await folder.commit(contents, plain);
    expect(readdirSync(base)).toEqual(['by-hand-7']);
    expect(readdirSync(folder.path).sort()).toEqual([
      'cap.png',
      'report.html',
      'report.md',
      'summary.json',
      'timeseries.csv',
      'trace.jsonl',
    ]);
    const text = (name: string): string => readFileSync(join(folder.path, name), 'utf8');
    expect(JSON.parse(text('summary.json'))).toEqual(contents.summary);
    expect(text('timeseries.csv')).toBe(contents.csv);
    expect(text('trace.jsonl').split('\n').length).toBe(STORY.length + 1);
    expect(text('report.html')).toBe('the page');
    expect(text('report.md')).toContain('"cap.png"');
    expect([...readFileSync(join(folder.path, 'cap.png'))]).toEqual([1, 2, 3]);
    expect(statSync(folder.path).mode & 0o055).toBe(0o055 & ~process.umask());
  });

  it('is drawn by the reports package', async () => {
    const folder = open();
    await folder.commit(results(folder));
    const png = readFileSync(join(folder.path, 'cap.png'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(readFileSync(join(folder.path, 'report.html'), 'utf8')).toContain('<title>by-hand</title>');
    expect(readFileSync(join(folder.path, 'report.md'), 'utf8')).toContain('(cap.png)');
  });

  it('has no trace when none is wanted, and no picture when there is nothing to draw', async () => {
    const folder = open({ trace: false });
    expect(folder.trace).toBeNull();
    await folder.commit({ ...results(folder), cover: undefined }, plain);
    expect(readdirSync(folder.path).sort()).toEqual(['report.html', 'report.md', 'summary.json', 'timeseries.csv']);
  });

  it('takes the place of an older one as a whole', async () => {
    mkdirSync(join(base, 'by-hand-7'));
    writeFileSync(join(base, 'by-hand-7', 'left-over.txt'), 'old');
    const folder = open();
    const contents = results(folder);
    expect(readdirSync(folder.path)).toEqual(['left-over.txt']);
    await folder.commit(contents, plain);
    expect(readdirSync(folder.path)).toHaveLength(6);
    expect(readdirSync(base)).toEqual(['by-hand-7']);
  });

  it('leaves nothing when it is discarded, and the older one as it was', () => {
    mkdirSync(join(base, 'by-hand-7'));
    const folder = open();
    results(folder);
    folder.discard();
    folder.discard();
    expect(readdirSync(base)).toEqual(['by-hand-7']);
    expect(readdirSync(join(base, 'by-hand-7'))).toEqual([]);
  });

  it('takes no more of the trace once it is discarded', () => {
    const folder = open();
    folder.discard();
    const events = Array.from({ length: 100 }, () => STORY).flat();
    expect(() => {
      for (const event of events) folder.trace?.observe(event);
    }).toThrow(OutputError);
  });

  it('leaves nothing when drawing fails, and the error is what it was', async () => {
    const folder = open();
    const defect = new Error('no ink');
    const renderPng = () => Promise.reject(defect);
    await expect(folder.commit(results(folder), { ...plain, renderPng })).rejects.toBe(defect);
    expect(readdirSync(base)).toEqual([]);
  });

  it('is kept once', async () => {
    const folder = open();
    const contents = results(folder);
    await folder.commit(contents, plain);
    await expect(folder.commit(contents, plain)).rejects.toThrow(/kept or discarded already/);
    folder.discard();
    expect(readdirSync(folder.path)).toHaveLength(6);
  });

  it('does not get in the way of another of the same name', async () => {
    const [one, two] = [open(), open()];
    await two.commit(results(two), plain);
    await one.commit(results(one), plain);
    expect(readdirSync(base)).toEqual(['by-hand-7']);
  });
});

describe('a place where results cannot be kept', () => {
  it('is refused before anything runs, with what to do', () => {
    writeFileSync(join(base, 'file'), '');
    for (const out of [join(base, 'file'), join(base, 'file', 'below')]) {
      expect(() => open({ out })).toThrow(OutputError);
      expect(() => open({ out })).toThrow(`${out}: results cannot be kept there`);
      expect(() => open({ out })).toThrow('choose another place with --out DIR');
    }
  });

  it('is refused when a file has the name of the folder', () => {
    writeFileSync(join(base, 'by-hand-7'), 'mine');
    expect(() => open()).toThrow(/by-hand-7: is in the way and no folder; move it/);
    expect(readFileSync(join(base, 'by-hand-7'), 'utf8')).toBe('mine');
  });

  it('is refused when the name leads elsewhere', () => {
    expect(() => new RunFolder({ out: base, name: '../elsewhere', seed: 1, trace: false })).toThrow(OutputError);
  });

  it('that vanishes during the run leaves nothing', async () => {
    const out = join(base, 'deep');
    const folder = open({ out });
    const contents = results(folder);
    rmSync(out, { recursive: true });
    await expect(folder.commit(contents, plain)).rejects.toThrow(OutputError);
    expect(existsSync(out)).toBe(false);
  });
});
