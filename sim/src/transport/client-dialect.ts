/**
 * How a client asks for an answer in each of the dialects, and what it reads in one. Pure text: sends nothing, and leaves
 * it to the governor's rules what an answer means.
 */

export type DialectName = 'openai' | 'anthropic' | 'gemini';

export interface Asking {
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** As server-sent events, piece by piece. */
  readonly stream: boolean;
  readonly apiKey: string | undefined;
}

export interface ClientRequest {
  /** Below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** What a whole answer, or one event of a stream, says. */
export interface Said {
  /** Of a stream: there is something generated in it, be it text, reasoning or the call of a tool. */
  readonly isGenerated: boolean;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface ClientDialect {
  request(asking: Asking): ClientRequest;
  /** @param json whatever came. */
  read(json: unknown): Said;
}

const ANTHROPIC_VERSION = '2023-06-01';

export const CLIENT_DIALECTS: Readonly<Record<DialectName, ClientDialect>> = {
  openai: {
    request: ({ model, prompt, maxTokens, stream, apiKey }) => ({
      path: '/chat/completions',
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: {
        model,
        messages: [{ role: 'user', content: prompt }],
        max_tokens: maxTokens,
        ...(stream && { stream, stream_options: { include_usage: true } }),
      },
    }),
    read(json) {
      const delta = at(json, 'choices', 0, 'delta');
      const called = at(delta, 'tool_calls', 0, 'function', 'arguments');
      const texts = [at(delta, 'content'), at(delta, 'reasoning_content'), at(delta, 'reasoning'), called];
      return {
        isGenerated: texts.some(isSomeText),
        inputTokens: count(json, 'usage', 'prompt_tokens'),
        outputTokens: count(json, 'usage', 'completion_tokens'),
      };
    },
  },
  anthropic: {
    request: ({ model, prompt, maxTokens, stream, apiKey }) => ({
      path: '/messages',
      headers: {
        'anthropic-version': ANTHROPIC_VERSION,
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      body: { model, max_tokens: maxTokens, messages: [{ role: 'user', content: prompt }], ...(stream && { stream }) },
    }),
    read(json) {
      const delta = at(json, 'type') === 'content_block_delta' ? at(json, 'delta') : undefined;
      const texts = [at(delta, 'text'), at(delta, 'thinking'), at(delta, 'partial_json')];
      // What a stream begins with knows the prompt and not yet the answer.
      return {
        isGenerated: texts.some(isSomeText),
        inputTokens: anthropicInput(at(json, 'message', 'usage')) ?? anthropicInput(at(json, 'usage')),
        outputTokens: count(json, 'usage', 'output_tokens'),
      };
    },
  },
  gemini: {
    request: ({ model, prompt, maxTokens, stream, apiKey }) => ({
      path: `/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
      body: {
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: { maxOutputTokens: maxTokens },
      },
    }),
    read(json) {
      const parts = at(json, 'candidates', 0, 'content', 'parts');
      const output = count(json, 'usageMetadata', 'candidatesTokenCount');
      const thoughts = count(json, 'usageMetadata', 'thoughtsTokenCount') ?? 0;
      return {
        isGenerated: Array.isArray(parts) && parts.some((part) => isSomeText(at(part, 'text')) || isCall(part)),
        inputTokens: count(json, 'usageMetadata', 'promptTokenCount'),
        outputTokens: output === undefined ? undefined : output + thoughts,
      };
    },
  },
};

/** Fresh and cached ones are told apart; all of them were sent. */
function anthropicInput(usage: unknown): number | undefined {
  const fresh = count(usage, 'input_tokens');
  if (fresh === undefined) return undefined;
  return fresh + (count(usage, 'cache_creation_input_tokens') ?? 0) + (count(usage, 'cache_read_input_tokens') ?? 0);
}

function isCall(part: unknown): boolean {
  return at(part, 'functionCall') !== undefined;
}

function isSomeText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function count(from: unknown, ...path: readonly string[]): number | undefined {
  const value = at(from, ...path);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The member at the end of the path; undefined where the path leads nowhere. */
function at(from: unknown, ...path: readonly (string | number)[]): unknown {
  let value = from;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return value;
}
