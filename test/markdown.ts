/** Reads pages of Markdown as tests need them: sections, tables as rows of cells, anchors. Judges nothing. */

import { expect } from 'vitest';

/** The text under a heading of the second level. */
export function section(page: string, title: string): string {
  const [, rest = ''] = page.split(`\n## ${title}\n`);
  return rest.split('\n## ')[0] ?? '';
}

/** The rows of the table whose first column has this name. */
export function tableOf(page: string, firstColumn: string): readonly (readonly string[])[] {
  const lines = page.split('\n');
  const start = lines.findIndex(
    (line) => line.startsWith('| ') && line.slice(2).split(' | ')[0]?.trim() === firstColumn,
  );
  expect(start, `a table whose first column is ${firstColumn}`).toBeGreaterThan(-1);
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  const rows = rest.slice(0, end === -1 ? rest.length : end);
  return rows.map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

/** What the first column of that table names, in alphabetical order. A cell may name several, a row may go on with `…`. */
export function namesIn(page: string, firstColumn: string): readonly string[] {
  return tableOf(page, firstColumn)
    .filter(([cell]) => !cell?.startsWith('…'))
    .flatMap(([cell]) => (cell as string).split('`, `').map(bare))
    .sort();
}

/** A cell without the marks of code and the spaces inside numbers. */
export function bare(cell: string | undefined): string {
  return (cell ?? '').replaceAll('`', '').replace(/(?<=\d) (?=\d{3}(?!\d))/g, '');
}

/** Of all headings, as the page's host makes them: the second of a name has a number. */
export function anchorsIn(page: string): readonly string[] {
  const used = new Map<string, number>();
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
    const slug = (heading as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}
