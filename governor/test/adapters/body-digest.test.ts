import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/adapters/body-digest.js';
import { classify } from '../../src/core/classify.js';

const SSE = 'text/event-stream; charset=utf-8';
const NDJSON = 'application/x-ndjson';

/** What a body comes to: the error that it reports on the way, or what is seen of it at its end. */
function verdict(body: string, contentType: string, cuts: readonly number[]): unknown {
  const bytes = new TextEncoder().encode(body);
  const digest = digestOf(contentType);
  const headers = { 'content-type': contentType };
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [i, end] of places.slice(1).entries()) {
    const text = digest.read(bytes.slice(places[i], end));
    if (text !== undefined) return classify({ status: 200, headers, body: text, outputEmitted: digest.outputEmitted });
  }
  return classify({ status: 200, headers, body: digest.text() });
}

const said = fc.string({ unit: 'grapheme', maxLength: 40 });
const content = (text: string): string => JSON.stringify({ choices: [{ delta: { content: text } }] });
const errors = fc.constantFrom(
  JSON.stringify({ error: { message: 'Überlastet 负载', code: 'overloaded' } }),
  JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }),
  JSON.stringify({ error: { message: 'The server had an error', type: 'server_error' } }),
  JSON.stringify({ error: { message: '服务器繁忙' } }),
);
const lineEnd = fc.constantFrom('\n', '\r\n');
const events = fc
  .tuple(
    fc.array(
      fc.oneof(
        said.map((text) => `data: ${content(text)}`),
        fc.constantFrom(': keep-alive', 'event: ping\ndata: {}'),
      ),
    ),
    fc.option(errors.map((error) => `data: ${error}`)),
    fc.constantFrom(['data: {"choices":[{"delta":{},"finish_reason":"stop"}]}', 'data: [DONE]'], []),
    lineEnd,
  )
  .map(([before, error, after, eol]) =>
    [...before, ...(error === null ? [] : [error]), ...after]
      .map((frame) => `${frame.replaceAll('\n', eol)}${eol}${eol}`)
      .join(''),
  );
const lines = fc
  .tuple(fc.array(said.map((text) => JSON.stringify({ message: { content: text }, done: false }))), fc.option(errors))
  .map(([before, error]) => [...before, error ?? '{"done":true}'].map((line) => `${line}\n`).join(''));
const documents = fc.oneof(
  errors,
  said.map((text) => JSON.stringify({ choices: [{ message: { content: text } }] })),
  said,
);
const giants = fc
  .tuple(errors, fc.integer({ min: 15_000, max: 18_000 }), lineEnd)
  .map(([error, size, eol]) => `data: {"text":"${'é'.repeat(size)}",${error.slice(1)}${eol}${eol}`);
const cuts = fc.array(fc.nat(40_000), { maxLength: 30 });

describe('a body, wherever it is cut', () => {
  it.each([
    ['a stream of events', SSE, events, 300],
    ['a stream of lines', NDJSON, lines, 300],
    ['a stream of giant events', SSE, giants, 60],
    ['a document', 'application/json', documents, 300],
  ] as const)('%s comes to the same, inside a character too', (_title, contentType, bodies, numRuns) => {
    fc.assert(
      fc.property(bodies, cuts, (body, places) => {
        expect(verdict(body, contentType, places)).toEqual(verdict(body, contentType, []));
      }),
      { numRuns },
    );
  });

  it('is judged as the whole text would be', () => {
    fc.assert(
      fc.property(events, cuts, (body, places) => {
        const whole = classify({ status: 200, headers: { 'content-type': SSE }, body, streamPhase: 'mid' });
        expect(verdict(body, SSE, places)).toMatchObject({ class: whole.class, reducesCap: whole.reducesCap });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['an error before any output may be retried', [], true],
    ['an error after output may not', [`data: ${content('Hi')}\n\n`], false],
  ] as const)('%s', (_title, before, retryable) => {
    const body = [...before, 'data: {"error":{"code":"overloaded","message":"busy"}}\n\n'].join('');
    expect(verdict(body, SSE, [20, 60])).toMatchObject({ class: 'overload', retryable });
  });
});

it.each([
  ['\n\n', SSE],
  ['\r\n\r\n', SSE],
  ['\n', NDJSON],
  ['\r\n', NDJSON],
])('an error that ends in %j is reported as soon as it is whole', (end, contentType) => {
  const frame = `${contentType === SSE ? 'data: ' : ''}{"error":{"code":"overloaded"}}`;
  const digest = digestOf(contentType);
  const bytes = new TextEncoder().encode(frame + end);
  expect(digest.read(bytes.subarray(0, -1))).toBeUndefined();
  expect(digest.read(bytes.subarray(-1))).toContain(frame);
});

describe('a long body', () => {
  const failed = (size: number): string =>
    `event: response.failed\ndata: {"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"slow"},"instructions":"${'é'.repeat(size)}"}}\n\n`;
  const pieces = (body: string, size: number): number[] =>
    Array.from({ length: Math.floor(body.length / size) }, (_, i) => (i + 1) * size);

  it.each([16_000, 16_384, 17_000, 100_000])('an error in a frame of %i characters is found', (size) => {
    for (const places of [[], pieces(failed(size), 1_000)]) {
      expect(verdict(failed(size), SSE, places)).toMatchObject({ class: 'throttle' });
    }
  });

  it('of a stream, its end is seen', () => {
    const frames = Array.from({ length: 5_000 }, (_, i) => `data: ${content(`word ${i}`)}\n\n`).join('');
    expect(verdict(frames, SSE, pieces(frames, 700))).toMatchObject({ class: 'transient' });
    expect(verdict(`${frames}data: [DONE]\n\n`, SSE, pieces(frames, 700))).toMatchObject({ class: 'ok' });
  });

  it('of a document, only its end is looked at', () => {
    const whole = `{"text":"${'ü'.repeat(60_000)}"}`;
    expect(verdict(whole, 'application/json', pieces(whole, 999))).toMatchObject({ class: 'ok' });
    expect(verdict(`${whole}\n  `, 'application/json', [])).toMatchObject({ class: 'ok' });
    expect(verdict(whole.slice(0, -1), 'application/json', [])).toMatchObject({ class: 'transient' });
    expect(verdict('words '.repeat(9_000), 'text/plain', [])).toMatchObject({ class: 'ok' });
    expect(verdict('\u0000'.repeat(9_000), 'audio/mpeg', [])).toMatchObject({ class: 'ok' });
  });

  it('takes no more memory than a short one', () => {
    const digest = digestOf(SSE);
    const frame = new TextEncoder().encode(`data: ${'x'.repeat(65_000)}`);
    for (let i = 0; i < 200; i++) digest.read(frame);
    expect(digest.text()!.length).toBeLessThan(40_000);
  });
});
