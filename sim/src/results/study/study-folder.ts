/** The results of a study as files: a page, a text, pictures, tables and data, whole or not at all. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chart, Report } from '@tidegate/reports';
import { WholeFolder } from '../whole-folder.js';

export interface StudyContents {
  /** Of `report.html` and `report.md`. */
  readonly report: Report;
  /** By file name; each stands for the chart of its title in the text. */
  readonly pictures: Readonly<Record<string, Chart>>;
  /** By file name. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * @returns where it is.
 * @throws OutputError if the results cannot be kept there.
 */
export async function writeStudy(out: string, name: string, contents: StudyContents): Promise<string> {
  const folder = new WholeFolder(out, name);
  const { renderHtml, renderMarkdown, renderPng } = await import('@tidegate/reports');
  await folder.commit(async (partial) => {
    const write = (file: string, data: string | Uint8Array): void => writeFileSync(join(partial, file), data);
    for (const [file, text] of Object.entries(contents.texts)) write(file, text);
    const pictures = Object.entries(contents.pictures);
    write('report.html', renderHtml(contents.report));
    const images = Object.fromEntries(pictures.map(([file, { title }]) => [title, file]));
    write('report.md', renderMarkdown(contents.report, { images }));
    for (const [file, chart] of pictures) write(file, await renderPng(chart));
  });
  return folder.path;
}

/** As RFC 4180 has it. */
export function csvOf(rows: readonly (readonly (string | number | null)[])[]): string {
  const field = (value: string | number | null): string => {
    const text = value === null ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(field).join(',')}\n`).join('');
}
