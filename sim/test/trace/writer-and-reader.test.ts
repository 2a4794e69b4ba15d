import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { OutputError } from '../../src/trace/output-error.js';
import { readTrace, TraceError } from '../../src/trace/reader.js';
import { TraceWriter } from '../../src/trace/writer.js';
import { queued, STORY, traceStarted } from '../results/hand-written-trace.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trace-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (content = ''): string => {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, content);
  return path;
};

function write(events: readonly TraceEvent[]): { readonly path: string; readonly sha256: string } {
  const path = newFile();
  const writer = new TraceWriter(path);
  for (const event of events) writer.observe(event);
  return { path, sha256: writer.close() };
}

function read(path: string) {
  const events: TraceEvent[] = [];
  return { ...readTrace(path, (event) => events.push(event)), read: events };
}

/** Some chunks of text, with characters of several bytes that fall on their edges. */
const LONG: readonly TraceEvent[] = [
  traceStarted(),
  ...Array.from({ length: 3000 }, (_, i) => queued(i / 1000, i + 1, { agent: `läser-${'⏱'.repeat(i % 7)}` })),
];

describe('a trace', () => {
  it('is one event a line, and its hash is that of the bytes of the file', () => {
    const { path, sha256 } = write(STORY);
    const bytes = readFileSync(path);
    expect(bytes.toString()).toBe(STORY.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('comes back as it was written, whatever its length, with the same hash', () => {
    const { path, sha256 } = write(LONG);
    expect(readFileSync(path).length).toBeGreaterThan(3 * 65_536);
    expect(read(path)).toEqual({ events: LONG.length, sha256, brokenLine: null, read: LONG });
  });

  it('that breaks off in its last line is read up to there, and says so', () => {
    const { path } = write(STORY);
    truncateSync(path, readFileSync(path).length - 10);
    expect(read(path)).toMatchObject({ events: STORY.length - 1, brokenLine: STORY.length, read: STORY.slice(0, -1) });
  });

  it('that breaks off in the first character of a line says so', () => {
    const { path } = write(STORY);
    appendFileSync(path, Buffer.from('⏱').subarray(0, 1));
    expect(read(path)).toMatchObject({ events: STORY.length, brokenLine: STORY.length + 1 });
  });

  it('that lacks only its last line break is whole', () => {
    const { path } = write(STORY);
    truncateSync(path, readFileSync(path).length - 1);
    expect(read(path)).toMatchObject({ events: STORY.length, brokenLine: null });
  });

  it('has no more bytes than its events once it is closed, however often', () => {
    const path = newFile();
    const writer = new TraceWriter(path);
    writer.observe(traceStarted());
    expect(writer.close()).toBe(writer.close());
    expect(read(path).events).toBe(1);
  });
});

const first = `${JSON.stringify(traceStarted())}\n`;
const bad: readonly { content: string; message: string }[] = [
  { content: '', message: 'is empty; a trace begins with a trace-started event' },
  { content: 'nonsense', message: 'line 1 is not JSON; a trace has one event a line' },
  { content: `${first}{"t":1,"type":\n${first}`, message: 'line 2 is not JSON; a trace has one event a line' },
  { content: `${first}\n`, message: 'line 2 is not JSON; a trace has one event a line' },
  {
    content: `${first}{"t":1,"type":"tea-break"}\n`,
    message: 'line 2 is no event: its type is "tea-break"; read it with the version that wrote it',
  },
  {
    content: `${first}null\n`,
    message: 'line 2 is no event: its type is undefined; read it with the version that wrote it',
  },
  { content: `${first}{"type":"run-stalled"}\n`, message: 'line 2 is no event: its time t is not a number' },
  { content: '{"t":0,"type":"run-started"}\n', message: 'line 1 is run-started; a trace begins with trace-started' },
];

describe('a file that is no trace', () => {
  it.each(bad)('is refused: $message', ({ content, message }) => {
    const path = newFile(content);
    expect(() => read(path)).toThrow(new TraceError(`${path}: ${message}`));
  });

  it('is refused when it cannot be read', () => {
    expect(() => read(join(folder, 'none.jsonl'))).toThrow(
      /none\.jsonl: cannot be read .*; give the trace\.jsonl of a run/,
    );
    expect(() => read(folder)).toThrow(TraceError);
  });

  it('cannot be written where no file can be', () => {
    expect(() => new TraceWriter(join(folder, 'no', 'such', 'folder.jsonl'))).toThrow(OutputError);
  });
});

it('what an observer throws ends the reading', () => {
  const { path } = write(STORY);
  const stop = new Error('enough');
  expect(() =>
    readTrace(path, () => {
      throw stop;
    }),
  ).toThrow(stop);
});
