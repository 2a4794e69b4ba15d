/** The texts of prompts that are only there for their sizes. The same attempt is always asked the same. */

import type { Attempt } from './transport.js';

/** Words of three letters, so that each is four bytes with its space: a token by that rule, and for most tokenizers too. */
const WORDS = 'the sea has its own way and far out the old man can see the day end ';
const BYTES_PER_TOKEN = 4;

/** @param tokens whole, ≥ 0; a prompt has at least one. */
export function promptText(tokens: number): string {
  const length = BYTES_PER_TOKEN * Math.max(1, tokens);
  return WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length);
}

/**
 * What a real model is asked: for about as many words as the scenario wants tokens, and text of the scenario's size after
 * it. The number comes first, so that no prompt begins as an earlier one did and a cached beginning is measured for it.
 */
export function livePrompt(
  { inputTokens, outputTokens }: Pick<Attempt, 'inputTokens' | 'outputTokens'>,
  number: number,
): string {
  const words = Math.max(1, outputTokens);
  const task = `Task ${number}: write ${words} short words about the sea and nothing else; leave the rest unread. `;
  return task + promptText(Math.max(1, inputTokens - Math.ceil(task.length / BYTES_PER_TOKEN)));
}
