/** The prose of a help, filled for the terminal; what is indented, tables and commands to copy, stays as it is. */

/** Longer lines are hard to read, however wide the terminal. */
const WIDEST = 120;

/** Lines that follow each other and begin at the margin are one paragraph. @param columns of the terminal, ≥ 1. */
export function wrapped(text: string, columns: number): string {
  return text.replaceAll(/^\S.*(\n\S.*)*/gm, (paragraph) => filled(paragraph.split(/\s+/), Math.min(columns, WIDEST)));
}

function filled(words: readonly string[], width: number): string {
  let column = 0;
  return words
    .map((word, i) => {
      const isNext = i > 0 && column + 1 + word.length <= width;
      column = isNext ? column + 1 + word.length : word.length;
      return `${i === 0 ? '' : isNext ? ' ' : '\n'}${word}`;
    })
    .join('');
}
