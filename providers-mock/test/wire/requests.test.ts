/** What is read out of requests: the model, the tokens, the tool; in each dialect's spellings. */

import { describe, expect, it } from 'vitest';
import { provider, steady } from '../adapters/mock-providers.js';
import { Asking, DIALECTS, type Dialect, dig, requestIn } from './asking.js';

/** The reason why an answer ended, and the name of the tool that it calls. */
const ENDS: Record<Dialect, { reason(body: unknown): unknown; tool(body: unknown): unknown; cut: string }> = {
  openai: {
    reason: (body) => dig(body, 'choices', 0, 'finish_reason'),
    tool: (body) => dig(body, 'choices', 0, 'message', 'tool_calls', 0, 'function', 'name'),
    cut: 'length',
  },
  'openai-responses': {
    reason: (body) => dig(body, 'incomplete_details', 'reason'),
    tool: (body) => dig(body, 'output', 0, 'name'),
    cut: 'max_output_tokens',
  },
  anthropic: {
    reason: (body) => dig(body, 'stop_reason'),
    tool: (body) => dig(body, 'content', 0, 'name'),
    cut: 'max_tokens',
  },
  gemini: {
    reason: (body) => dig(body, 'candidates', 0, 'finishReason'),
    tool: (body) => dig(body, 'candidates', 0, 'content', 'parts', 0, 'functionCall', 'name'),
    cut: 'MAX_TOKENS',
  },
};

const usual = (): Asking => new Asking(provider([], { manners: { draws: steady({ outputTokens: 50 }) } }));

describe('the caller’s maximum', () => {
  it.each<[Dialect, object]>([
    ['openai', { max_tokens: 3 }],
    ['openai', { max_completion_tokens: 3, max_tokens: 40 }],
    ['openai-responses', { max_output_tokens: 3 }],
    ['anthropic', { max_tokens: 3 }],
    ['gemini', { generationConfig: { maxOutputTokens: 3 } }],
    ['gemini', { generation_config: { max_output_tokens: 3 } }],
  ])('%s: %j cuts the answer off', (dialect, body) => {
    const asking = usual();
    expect(ENDS[dialect].reason(asking.ask(requestIn(dialect, body)).json())).toBe(ENDS[dialect].cut);
    expect(asking.api.ledger().models['acme/large']?.tokens.output).toBe(3);
  });

  it('is 4,096 where a request states none, or what the model says', () => {
    const draws = steady({ outputTokens: 10_000 });
    const unset = new Asking(provider([], { manners: { draws } }));
    unset.ask(requestIn('openai'));
    expect(unset.api.ledger().models['acme/large']?.tokens.output).toBe(4_096);
    const stated = new Asking(provider([], { manners: { draws, unsetMaxTokens: 7 } }));
    stated.ask(requestIn('openai'));
    expect(stated.api.ledger().models['acme/large']?.tokens.output).toBe(7);
  });
});

describe('the input', () => {
  const OF: Record<Dialect, (text: string) => object> = {
    openai: (text) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
    'openai-responses': (text) => ({ input: [{ role: 'user', content: [{ type: 'input_text', text }] }] }),
    anthropic: (text) => ({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }),
    gemini: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  };
  const inputOf = (dialect: Dialect, body: object, headers = {}): number | undefined => {
    const asking = usual();
    asking.ask(requestIn(dialect, body, headers));
    return asking.api.ledger().models['acme/large']?.tokens.input;
  };

  it.each(DIALECTS)('%s: is four bytes of text a token, rounded up', (dialect) => {
    const of = OF[dialect];
    expect([1, 4, 5, 4_000].map((length) => inputOf(dialect, of('x'.repeat(length))))).toEqual([1, 1, 2, 1_000]);
    // Bytes, not characters: two, three and four of them.
    const letters = ['é', '\u07ff', '\u0800', '海', '🌊'];
    expect(letters.map((letter) => inputOf(dialect, of(letter.repeat(8))))).toEqual([4, 4, 6, 6, 8]);
  });

  it.each<[Dialect, object, number]>([
    [
      'openai',
      {
        messages: [
          { role: 'system', content: 'x'.repeat(40) },
          { role: 'user', content: 'x'.repeat(40) },
        ],
      },
      20,
    ],
    ['openai-responses', { input: 'x'.repeat(40), instructions: 'x'.repeat(40) }, 20],
    ['anthropic', { system: 'x'.repeat(65) }, 20],
    ['gemini', { systemInstruction: { parts: [{ text: 'x'.repeat(65) }] } }, 20],
    // A picture counts nothing, whatever its bytes.
    ['anthropic', { system: [{ type: 'image', source: { type: 'base64', data: 'x'.repeat(4_000) } }] }, 4],
  ])('%s: counts instructions, and no pictures', (dialect, body, tokens) => {
    expect(inputOf(dialect, body)).toBe(tokens);
  });

  it('is what the header of a test says, where it says so', () => {
    expect(inputOf('openai', {}, { 'x-mock-input-tokens': '321' })).toBe(321);
    const refused = usual().ask(requestIn('openai', {}, { 'x-mock-input-tokens': '-1' }));
    expect(refused.status).toBe(400);
    expect(dig(refused.json(), 'error', 'message')).toContain('x-mock-input-tokens must be a whole number');
  });
});

describe('the prompt cache', () => {
  const TOLD: Record<Dialect, (body: unknown) => readonly unknown[]> = {
    openai: (body) => [
      dig(body, 'usage', 'prompt_tokens'),
      dig(body, 'usage', 'prompt_tokens_details', 'cached_tokens'),
    ],
    'openai-responses': (body) => [
      dig(body, 'usage', 'input_tokens'),
      dig(body, 'usage', 'input_tokens_details', 'cached_tokens'),
    ],
    anthropic: (body) => [dig(body, 'usage', 'input_tokens'), dig(body, 'usage', 'cache_read_input_tokens')],
    gemini: (body) => [
      dig(body, 'usageMetadata', 'promptTokenCount'),
      dig(body, 'usageMetadata', 'cachedContentTokenCount'),
    ],
  };
  const headers = { 'x-mock-input-tokens': '300', 'x-mock-cached-tokens': '240' };

  // Only one dialect counts what the cache had apart from the rest of the prompt.
  it.each<[Dialect, readonly unknown[]]>([
    ['openai', [300, 240]],
    ['openai-responses', [300, 240]],
    ['anthropic', [60, 240]],
    ['gemini', [300, 240]],
  ])('%s tells what it had of the input', (dialect, told) => {
    expect(
      TOLD[dialect](
        usual()
          .ask(requestIn(dialect, {}, headers))
          .json(),
      ),
    ).toEqual(told);
  });

  it('makes its tokens free where the quota says so', () => {
    const window = { limit: 500, perMs: 60_000, refill: 'fixed-window', burst: 500, refusedCount: false } as const;
    const counting = { counts: 'input', reserve: 'estimate', settle: 'refund' } as const;
    const admitted = (cached?: 'counted' | 'free'): number => {
      const asking = new Asking(
        provider([{ kind: 'tokens', name: 'itpm', ...window, ...counting, ...(cached && { cached }) }]),
      );
      return Array.from({ length: 10 }, () => asking.ask(requestIn('anthropic', {}, headers)).status).filter(
        (status) => status === 200,
      ).length;
    };
    // 500 / 300 and 500 / 60.
    expect([admitted(), admitted('counted'), admitted('free')]).toEqual([1, 1, 8]);
  });

  it('has no more than the whole input', () => {
    const more = usual().ask(requestIn('openai', {}, { ...headers, 'x-mock-cached-tokens': '900' }));
    expect(TOLD.openai(more.json())).toEqual([300, 300]);
  });
});

describe('tools', () => {
  const schema = { type: 'object', properties: {} };
  const TOOLS: Record<Dialect, (...names: string[]) => object> = {
    openai: (...names) => ({
      tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
    }),
    'openai-responses': (...names) => ({
      tools: names.map((name) => ({ type: 'function', name, parameters: schema })),
    }),
    anthropic: (...names) => ({ tools: names.map((name) => ({ name, input_schema: schema })) }),
    gemini: (...names) => ({ tools: [{ functionDeclarations: names.map((name) => ({ name, parameters: schema })) }] }),
  };
  const called = (dialect: Dialect, body: object): unknown => {
    const response = usual().ask(requestIn(dialect, { ...TOOLS[dialect]('tide', 'wind'), ...body }));
    return ENDS[dialect].tool(response.json());
  };

  it.each<[Dialect, object, string | undefined]>([
    ['openai', {}, 'tide'],
    ['openai', { tool_choice: 'none' }, undefined],
    ['openai', { tool_choice: { type: 'function', function: { name: 'wind' } } }, 'wind'],
    ['openai-responses', {}, 'tide'],
    ['openai-responses', { tool_choice: 'none' }, undefined],
    ['openai-responses', { tool_choice: { type: 'function', name: 'wind' } }, 'wind'],
    ['openai-responses', { input: [{ type: 'function_call_output', call_id: 'c', output: '2 m' }] }, undefined],
    ['anthropic', {}, 'tide'],
    ['anthropic', { tool_choice: { type: 'none' } }, undefined],
    ['anthropic', { tool_choice: { type: 'tool', name: 'wind' } }, 'wind'],
    ['anthropic', { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] }] }, undefined],
    ['gemini', {}, 'tide'],
    ['gemini', { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }, undefined],
    ['gemini', { tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['wind'] } } }, 'wind'],
    ['gemini', { contents: [{ role: 'user', parts: [{ functionResponse: { name: 'tide' } }] }] }, undefined],
  ])('%s: %j calls %s', (dialect, body, tool) => {
    expect(called(dialect, body)).toBe(tool);
  });

  it('arguments fit the schema, however it is written', () => {
    const parameters = {
      type: 'object',
      properties: {
        text: { type: 'string' },
        choice: { type: 'string', enum: ['b', 'a'] },
        fixed: { const: 7 },
        usual: { type: 'number', default: 0.5 },
        atLeast: { type: 'integer', minimum: 2.5 },
        flag: { type: ['boolean', 'null'] },
        list: { type: 'array', items: { type: 'INTEGER' } },
        either: { anyOf: [{ type: 'null' }, { type: 'string' }] },
        inner: { properties: { deep: { type: 'string' } } },
        odd: 'no schema',
      },
    };
    const tools = [{ type: 'function', function: { name: 'tide', parameters } }];
    const answer = usual().ask(requestIn('openai', { tools })).json();
    expect(JSON.parse(String(dig(answer, 'choices', 0, 'message', 'tool_calls', 0, 'function', 'arguments')))).toEqual({
      text: 'text',
      choice: 'b',
      fixed: 7,
      usual: 0.5,
      atLeast: 3,
      flag: true,
      list: [1],
      either: null,
      inner: { deep: 'text' },
      odd: {},
    });
  });
});

describe('paths', () => {
  it.each([
    ['/v1/chat/completions', 200],
    ['/chat/completions', 200],
    ['/api/paas/v4/chat/completions', 200],
    ['/openai/deployments/large/chat/completions?api-version=2026-01-01', 200],
    ['http://proxied.test/v1/chat/completions', 200],
    ['/openai/deployments/huge/chat/completions', 404],
    ['/v1/chat/completions/', 404],
    ['/v1/chat', 404],
    ['', 404],
    ['/%', 404],
  ])('%s is a %d', (target, status) => {
    expect(usual().ask({ ...requestIn('openai'), target }).status).toBe(status);
  });
});
