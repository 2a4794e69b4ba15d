/** Streams of all dialects: each frame a valid event, the pieces the same as the whole answer, the usage that adds up. */

import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { provider, steady } from '../adapters/mock-providers.js';
import { Asking, DIALECTS, type Dialect, dig, type Read, requestIn, streamIn } from './asking.js';

const DATA = /^(?:event: (\S+)\n)?data: ([^\n\r]+)(?:\n\n|\r\n\r\n)$/;

/** The data of each frame; a frame that is not exactly one event fails the test. */
function eventsOf({ frames }: Read): readonly unknown[] {
  return frames.flatMap(({ data }) => {
    const [, name, json] = DATA.exec(data) ?? [];
    expect(json, `a frame that is one event: ${data}`).toBeDefined();
    if (json === '[DONE]') return [];
    const event: unknown = JSON.parse(json!);
    if (name !== undefined) expect(dig(event, 'type')).toBe(name);
    return [event];
  });
}

/** Where the dialects put the text of a piece, the text of a whole answer, and the counts of the usage. */
const PLACES: Record<
  Dialect,
  {
    piece(event: unknown): unknown;
    whole(body: unknown): unknown;
    usage(last: unknown): readonly unknown[];
  }
> = {
  openai: {
    piece: (event) => dig(event, 'choices', 0, 'delta', 'content'),
    whole: (body) => dig(body, 'choices', 0, 'message', 'content'),
    usage: (last) => ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) => dig(last, 'usage', name)),
  },
  'openai-responses': {
    piece: (event) => (dig(event, 'type') === 'response.output_text.delta' ? dig(event, 'delta') : ''),
    whole: (body) => dig(body, 'output', 0, 'content', 0, 'text'),
    usage: (last) => {
      const response = dig(last, 'response') ?? last;
      return ['input_tokens', 'output_tokens', 'total_tokens'].map((name) => dig(response, 'usage', name));
    },
  },
  anthropic: {
    piece: (event) => dig(event, 'delta', 'text'),
    whole: (body) => dig(body, 'content', 0, 'text'),
    usage: (last) => ['input_tokens', 'output_tokens'].map((name) => dig(last, 'usage', name)),
  },
  gemini: {
    piece: (event) => dig(event, 'candidates', 0, 'content', 'parts', 0, 'text'),
    whole: (body) => dig(body, 'candidates', 0, 'content', 'parts', 0, 'text'),
    usage: (last) =>
      ['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount'].map((name) => dig(last, 'usageMetadata', name)),
  },
};

function answering(outputTokens: number): Asking {
  return new Asking(provider([], { manners: { draws: steady({ outputTokens }) } }));
}

const WITH_USAGE = { stream_options: { include_usage: true } };

describe.each(DIALECTS)('%s', (dialect) => {
  const { piece, whole, usage } = PLACES[dialect];

  it('says the same text whole and in pieces, a token each, four bytes a token', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (tokens) => {
        const asking = answering(tokens);
        const text = whole(asking.ask(requestIn(dialect)).json()) as string;
        const pieces = eventsOf(asking.ask(streamIn(dialect)))
          .map(piece)
          .filter(Boolean);
        expect(pieces).toHaveLength(tokens);
        expect(pieces.join('')).toBe(text);
        expect(Buffer.byteLength(text)).toBe(4 * tokens);
      }),
    );
  });

  it('tells the usage of the whole answer, and its parts add up', () => {
    const asking = answering(7);
    const expected = dialect === 'anthropic' ? [4, 7] : [4, 7, 11];
    expect(usage(asking.ask(requestIn(dialect)).json())).toEqual(expected);
    const events = eventsOf(asking.ask(streamIn(dialect, dialect === 'openai' ? WITH_USAGE : {})));
    const last = dialect === 'anthropic' ? events.at(-2) : events.at(-1);
    // Anthropic told the input at the beginning.
    expect(usage(last)).toEqual(dialect === 'anthropic' ? [undefined, 7] : expected);
    expect(asking.api.ledger().models['acme/large']?.tokens).toEqual({ input: 8, output: 14 });
  });

  it('keeps its pace: the head, the first token, a token each, the end', () => {
    const pace = { outputTokens: 3, headMs: 5, firstTokenMs: 200, perTokenMs: 10 };
    const asking = new Asking(provider([], { manners: { draws: steady(pace) } }));
    const { headMs, frames } = asking.ask(streamIn(dialect));
    const events = frames.map(({ data }) => /data: (\{.*\})/.exec(data)?.[1] ?? '{}').map((json) => JSON.parse(json));
    const pieces = frames.filter((_, index) => piece(events[index]) !== '' && piece(events[index]) !== undefined);
    expect(headMs).toBe(5);
    expect(frames[0]?.atMs).toBe(dialect === 'gemini' ? 200 : 5);
    expect(pieces.map(({ atMs }) => atMs)).toEqual([200, 210, 220]);
    expect(frames.at(-1)?.atMs).toBe(230);
    expect(asking.ask(requestIn(dialect)).headMs).toBe(230);
  });
});

describe('Gemini without alt=sse', () => {
  it('streams a JSON list', () => {
    const target = '/v1beta/models/large:streamGenerateContent';
    const { headers, json } = answering(3).ask({ ...requestIn('gemini'), target });
    expect(headers['content-type']).toBe('application/json; charset=UTF-8');
    const list = json() as readonly unknown[];
    expect(list.map(PLACES.gemini.piece)).toEqual(['The ', 'tide', ' com', '']);
    expect(dig(list.at(-1), 'candidates', 0, 'finishReason')).toBe('STOP');
  });
});

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

describe('a stream on its way', () => {
  it('is read the same by the official client, wherever its bytes are cut', async () => {
    const sent = answering(40).ask(streamIn('openai', WITH_USAGE)).text;
    const bytes = new TextEncoder().encode(sent);
    const readBy = async (cuts: readonly number[]): Promise<readonly unknown[]> => {
      const ends = [...cuts, bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
      const headers = { 'content-type': 'text/event-stream' };
      const fetch = async (): Promise<Response> => new Response(streamOf(chunks), { headers });
      const openai = new OpenAI({ apiKey: 'any', fetch });
      const stream = await openai.chat.completions.create({ model: 'm', messages: [], stream: true });
      const events: unknown[] = [];
      for await (const event of stream) events.push(event);
      return events;
    };
    const uncut = await readBy([]);
    expect(uncut).toHaveLength(43);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 30 }), async (cuts) => {
        expect(await readBy(cuts)).toEqual(uncut);
      }),
      { numRuns: 30 },
    );
  });

  it('is made as it goes: a long one is never in memory whole', () => {
    const { answer, exchange } = answering(1_000_000_000).open(streamIn('anthropic', { max_tokens: 1_000_000_000 }));
    if (answer.kind !== 'streamed') throw new Error('a stream was asked for');
    const frames = answer.frames[Symbol.iterator]();
    const first = Array.from({ length: 4 }, () => frames.next().value?.data);
    expect(first.at(-1)).toContain('The ');
    exchange.abandoned(0);
  });
});
