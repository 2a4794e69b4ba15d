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
  /** What is generated of the answer proper: text, or the arguments of a tool's call. Empty where nothing is. */
  readonly answer: string;
  /** What is generated before the answer proper: the model's reasoning. */
  readonly reasoning: string;
  readonly inputTokens: number | undefined;
  /** Reasoning included. */
  readonly outputTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
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
      const said = at(json, 'choices', 0, 'delta') ?? at(json, 'choices', 0, 'message');
      const called = at(said, 'tool_calls', 0, 'function', 'arguments');
      return {
        answer: textOf(at(said, 'content'), called),
        reasoning: textOf(at(said, 'reasoning_content'), at(said, 'reasoning')),
        inputTokens: count(json, 'usage', 'prompt_tokens'),
        outputTokens: count(json, 'usage', 'completion_tokens'),
        reasoningTokens: count(json, 'usage', 'completion_tokens_details', 'reasoning_tokens'),
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
      const blocks = at(json, 'type') === 'content_block_delta' ? [at(json, 'delta')] : listAt(json, 'content');
      // What a stream begins with knows the prompt and not yet the answer.
      return {
        answer: textOf(...blocks.flatMap((block) => [at(block, 'text'), at(block, 'partial_json')])),
        reasoning: textOf(...blocks.map((block) => at(block, 'thinking'))),
        inputTokens: anthropicInput(at(json, 'message', 'usage')) ?? anthropicInput(at(json, 'usage')),
        outputTokens: count(json, 'usage', 'output_tokens'),
        // Counted as output, and not told apart.
        reasoningTokens: undefined,
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
      const parts = listAt(json, 'candidates', 0, 'content', 'parts');
      const isThought = (part: unknown): boolean => at(part, 'thought') === true;
      const output = count(json, 'usageMetadata', 'candidatesTokenCount');
      const thoughts = count(json, 'usageMetadata', 'thoughtsTokenCount');
      return {
        answer: textOf(...parts.filter((part) => !isThought(part)).flatMap((part) => [at(part, 'text'), callIn(part)])),
        reasoning: textOf(...parts.filter(isThought).map((part) => at(part, 'text'))),
        inputTokens: count(json, 'usageMetadata', 'promptTokenCount'),
        outputTokens: output === undefined ? undefined : output + (thoughts ?? 0),
        reasoningTokens: thoughts,
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

function callIn(part: unknown): string | undefined {
  const call = at(part, 'functionCall');
  return call === undefined ? undefined : JSON.stringify(call);
}

/** Of these, those that are text, joined. */
function textOf(...parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string').join('');
}

function listAt(from: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const list = at(from, ...path);
  return Array.isArray(list) ? list : [];
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
