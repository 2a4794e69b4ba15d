/**
 * What a successful answer says, whatever its dialect: text of so many tokens, or one call of a tool, always the same for
 * the same request. One token is one piece of a stream.
 */

import type { Usage } from '../models/verdict.js';
import type { Asked, AskedTool } from './asked.js';
import { argumentsFor } from './tool-choice.js';

export interface Reply {
  /** Which answer of this server it is, from 1: what its ids are made of. */
  readonly number: number;
  readonly model: string;
  /** Seconds since 1970. */
  readonly createdS: number;
  /** The tool that is called; null = the answer is text. */
  readonly toolName: string | null;
  /** `length`: the caller's maximum cut it off. */
  readonly finish: 'stop' | 'length' | 'tool';
  /** How often it is given, side by side; whole, ≥ 1. */
  readonly choices: number;
  /** Pieces of one choice: as many tokens. */
  readonly length: number;
  /** Of the whole answer, all choices. */
  readonly usage: Usage;
  /** All pieces of one choice at once: the text, or the arguments of the tool as JSON. */
  text(): string;
  pieces(): Iterable<string>;
}

export interface ReplyFacts {
  readonly number: number;
  readonly createdS: number;
  /** What a full text answer has, in each choice; whole, ≥ 1. */
  readonly outputTokens: number;
  /** What each may have. */
  readonly maxTokens: number;
}

/** Each a token: four bytes in UTF-8, one of them not in ASCII, as real answers have them. */
const TOKENS: readonly string[] =
  'The |tide| com|es i|n, t|he g|ate |lets| thr|ough| wha|t th|e ba|sin |can |hold|, an|d th|e na|ïve| sea| wai|ts o|utsi|de u|ntil| it |ebbs|... '.split(
    '|',
  );
const ROUND = TOKENS.join('');
/** Where each of them begins in the round: one has fewer characters than bytes. */
const STARTS: readonly number[] = TOKENS.map((_, index) => TOKENS.slice(0, index).join('').length);
/** Characters of a tool's arguments that are counted as a token. */
const TOOL_PIECE = 4;

/** @param facts of the answer; a tool's arguments have the length that they have, cut by `maxTokens`. */
export function replyTo(asked: Asked, facts: ReplyFacts): Reply {
  return asked.tool === null ? new TextReply(asked, facts) : new ToolReply(asked, facts, asked.tool);
}

class TextReply implements Reply {
  readonly number: number;
  readonly model: string;
  readonly createdS: number;
  readonly toolName = null;
  readonly finish: 'stop' | 'length';
  readonly choices: number;
  readonly length: number;
  readonly usage: Usage;

  constructor(asked: Asked, { number, createdS, outputTokens, maxTokens }: ReplyFacts) {
    this.number = number;
    this.model = asked.model;
    this.createdS = createdS;
    this.finish = outputTokens > maxTokens ? 'length' : 'stop';
    this.choices = asked.choices ?? 1;
    this.length = Math.min(outputTokens, maxTokens);
    this.usage = usageOf(asked, this.length * this.choices);
  }

  text(): string {
    const rest = this.length % TOKENS.length;
    return ROUND.repeat((this.length - rest) / TOKENS.length) + ROUND.slice(0, STARTS[rest]);
  }

  *pieces(): Iterable<string> {
    for (let index = 0; index < this.length; index += 1) yield TOKENS[index % TOKENS.length]!;
  }
}

class ToolReply implements Reply {
  readonly number: number;
  readonly model: string;
  readonly createdS: number;
  readonly toolName: string;
  readonly finish: 'tool' | 'length';
  readonly choices: number;
  readonly length: number;
  readonly usage: Usage;
  readonly #json: string;

  constructor(asked: Asked, { number, createdS, maxTokens }: ReplyFacts, tool: AskedTool) {
    const json = argumentsFor(tool);
    const full = Math.ceil(json.length / TOOL_PIECE);
    this.number = number;
    this.model = asked.model;
    this.createdS = createdS;
    this.toolName = tool.name;
    this.finish = full > maxTokens ? 'length' : 'tool';
    this.choices = asked.choices ?? 1;
    this.length = Math.min(full, maxTokens);
    this.usage = usageOf(asked, this.length * this.choices);
    this.#json = json.slice(0, this.length * TOOL_PIECE);
  }

  text(): string {
    return this.#json;
  }

  *pieces(): Iterable<string> {
    for (let start = 0; start < this.#json.length; start += TOOL_PIECE) {
      yield this.#json.slice(start, start + TOOL_PIECE);
    }
  }
}

function usageOf({ inputTokens, cachedTokens = 0 }: Asked, outputTokens: number): Usage {
  return { inputTokens, cachedTokens, outputTokens };
}

/** An id of this answer: `prefix` and 24 digits. */
export function idOf({ number }: Pick<Reply, 'number'>, prefix: string): string {
  return `${prefix}${String(number).padStart(24, '0')}`;
}

/** The arguments of the tool; those that the maximum cut off are no JSON, and then there are none. */
export function argumentsIn(reply: Reply): unknown {
  return reply.finish === 'length' ? {} : JSON.parse(reply.text());
}
