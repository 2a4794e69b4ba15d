/** What is read off an answer while it comes: pieces at a glance or by reading, usage, the text to judge it by. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readerOf } from '../../src/transport/answer-reader.js';
import { CLIENT_DIALECTS, type DialectName } from '../../src/transport/client-dialect.js';

const { openai, anthropic } = CLIENT_DIALECTS;

const chunk = (delta: object, more: object = {}): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });
const block = (delta: object): string => JSON.stringify({ type: 'content_block_delta', index: 0, delta });

describe('a glance', () => {
  it.each<[string, DialectName, string, string | undefined]>([
    ['a word', 'openai', chunk({ content: 'y' }), 'answer'],
    ['a word, written with spaces', 'openai', '{"choices": [{"delta": {"content": "y"}}]}', 'answer'],
    ['reasoning', 'openai', chunk({ content: null, reasoning_content: 'hm' }), 'reasoning'],
    ['reasoning by its other name', 'openai', chunk({ reasoning: 'hm' }), 'reasoning'],
    ['usage that is not there yet', 'openai', `${chunk({ content: 'y' }).slice(0, -1)},"usage":null}`, 'answer'],
    ['the role', 'openai', chunk({ role: 'assistant', content: '' }), undefined],
    ['the last word, with the end', 'openai', chunk({ content: 'y' }, { finish_reason: 'stop' }), undefined],
    ['usage', 'openai', `${chunk({ content: 'y' }).slice(0, -1)},"usage":{"prompt_tokens":1}}`, undefined],
    ['an error', 'openai', '{"error":{"message":"no"},"content":"y"}', undefined],
    ['a call', 'openai', chunk({ tool_calls: [{ function: { arguments: '{' } }] }), undefined],
    ['the end', 'openai', '[DONE]', undefined],
    ['a word', 'anthropic', block({ type: 'text_delta', text: 'y' }), 'answer'],
    ['a piece of a call', 'anthropic', block({ type: 'input_json_delta', partial_json: '{' }), 'answer'],
    ['thinking', 'anthropic', block({ type: 'thinking_delta', thinking: 'hm' }), 'reasoning'],
    ['usage', 'anthropic', '{"type":"message_delta","delta":{},"usage":{"output_tokens":3}}', undefined],
    ['a block that begins', 'anthropic', '{"type":"content_block_start","content_block":{"text":"y"}}', undefined],
  ])('at %s, in %s: %s', (_, wire, data, piece) => {
    expect(CLIENT_DIALECTS[wire].glance(data)).toBe(piece);
  });

  it('sees what reading sees, whatever the text says', () => {
    const tricky = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '"usage":{"prompt_tokens":1}',
        '"finish_reason":"stop"',
        '"error"',
        '","content":"',
        '\\"',
        '',
        '"',
      ),
    );
    fc.assert(
      fc.property(tricky, tricky, fc.boolean(), (content, reasoning, hasReasoning) => {
        const delta = { ...(hasReasoning && { reasoning_content: reasoning }), content };
        const said = openai.read(JSON.parse(chunk(delta)));
        const read = said.answer !== '' ? 'answer' : said.reasoning !== '' ? 'reasoning' : undefined;
        expect(openai.glance(chunk(delta)) ?? read).toBe(read);
        const text = block({ type: 'text_delta', text: content });
        expect(anthropic.glance(text)).toBe(content === '' ? undefined : 'answer');
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('a stream', () => {
  const words = Array.from({ length: 50 }, (_, n) => chunk({ content: `w${n}` }));
  const frames = [
    chunk({ role: 'assistant', content: '' }),
    ...words,
    chunk({}, { finish_reason: 'stop' }),
    '{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":50}}',
    '[DONE]',
  ];
  const bytes = Buffer.from(frames.map((data) => `data: ${data}\n\n`).join(''));
  const read = (given: Uint8Array, cut: number, keepsAnswer = false) => {
    const reader = readerOf('text/event-stream; charset=utf-8', { dialect: openai, keepsAnswer });
    for (let at = 0; at < given.length; at += cut) reader.take(given.subarray(at, at + cut));
    return reader;
  };

  it.each([1, 7, 64, 100_000])('cut every %i bytes: the same pieces, the same usage', (cut) => {
    expect(read(bytes, cut)).toMatchObject({ pieces: 50, hasAnswered: true, inputTokens: 9, outputTokens: 50 });
  });

  it('keeps of its pieces the first alone, and all that tells how it ended', () => {
    const kept = [0, 1, 51, 52, 53].map((n) => `data: ${frames[n]}\n\n`).join('');
    expect(read(bytes, 64).body()).toBe(kept);
  });

  it('is read word for word where its answer is kept', () => {
    expect(read(bytes, 64, true).answer).toBe(words.map((_, n) => `w${n}`).join(''));
  });

  it('may begin with a mark of its byte order, and cut a letter in two', () => {
    const marked = Buffer.from(`\uFEFFdata: ${chunk({ content: 'ж' })}\n\n`);
    for (const cut of [1, 2, 3]) expect(read(marked, cut, true)).toMatchObject({ pieces: 1, answer: 'ж' });
  });
});
