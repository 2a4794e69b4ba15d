/** The text of a prompt that is only there for its size. Says nothing and is always the same. */

/** Words of three letters, so that each is four bytes with its space: a token by that rule, and for most tokenizers too. */
const WORDS = 'the sea has its own way and far out the old man can see the day end ';
const BYTES_PER_TOKEN = 4;

/** @param tokens whole, ≥ 0; a prompt has at least one. */
export function promptText(tokens: number): string {
  const length = BYTES_PER_TOKEN * Math.max(1, tokens);
  return WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length);
}
