/**
 * How a client asks for an answer in each of the dialects, and what it reads in one. Pure text: sends nothing, and leaves
 * it to the governor's rules what an answer means.
 */

import type { LiveHints } from '../scenario/scenario.js';

export type DialectName = 'openai' | 'anthropic' | 'gemini';

/** Models that reason take `max_completion_tokens` alone; many compatible servers know `max_tokens` alone. */
export type MaxTokensField = NonNullable<LiveHints['maxTokensField']>;

export interface Asking {
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Where the OpenAI dialect says it; the other dialects have one name for it. */
  readonly maxTokensField: MaxTokensField;
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

/** A piece that something was generated in: of the answer proper, or of the reasoning before it. */
export type Piece = 'answer' | 'reasoning';

export interface ClientDialect {
  request(asking: Asking): ClientRequest;
  /** @param json whatever came. */
  read(json: unknown): Said;
  /**
   * The same of an event of a stream whose text plainly shows a further piece and nothing else to know; undefined: it is to
   * be read. Most events are of this kind, and to parse each is half of what a stream costs its client.
   */
  glance(data: string): Piece | undefined;
}

const ANTHROPIC_VERSION = '2023-06-01';

export const CLIENT_DIALECTS: Readonly<Record<DialectName, ClientDialect>> = {
  openai: {
    request: ({ model, prompt, maxTokens, maxTokensField, stream, apiKey }) => ({
      path: '/chat/completions',
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: {
        model,
        messages: [{ role: 'user', content: prompt }],
        [maxTokensField]: maxTokens,
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
    glance(data) {
      if (!isNothing(data, '"usage":') || !isNothing(data, '"finish_reason":') || data.includes('"error"'))
        return undefined;
      if (beginsText(data, '"content":')) return 'answer';
      if (data.includes('"tool_calls":[')) return undefined;
      return beginsText(data, '"reasoning_content":') || beginsText(data, '"reasoning":') ? 'reasoning' : undefined;
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
    glance(data) {
      if (!data.includes('"content_block_delta"') || data.includes('"usage"') || data.includes('"error"'))
        return undefined;
      if (beginsText(data, '"text":') || beginsText(data, '"partial_json":')) return 'answer';
      return beginsText(data, '"thinking":') ? 'reasoning' : undefined;
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
    // Each event states what was used so far.
    glance: () => undefined,
  },
};

const [SPACE, QUOTE] = [32, 34];

/** Where the value of a member begins; -1 where there is none. A quote within a text is escaped, so no text looks like one. */
function startOfValue(data: string, member: string): number {
  const at = data.indexOf(member);
  if (at === -1) return -1;
  const from = at + member.length;
  return data.charCodeAt(from) === SPACE ? from + 1 : from;
}

function beginsText(data: string, member: string): boolean {
  const from = startOfValue(data, member);
  return from !== -1 && data.charCodeAt(from) === QUOTE && data.charCodeAt(from + 1) !== QUOTE;
}

function isNothing(data: string, member: string): boolean {
  const from = startOfValue(data, member);
  return from === -1 || data.startsWith('null', from);
}

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
