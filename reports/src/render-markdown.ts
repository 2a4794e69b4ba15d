/**
 * Writes a report as GitHub-flavoured Markdown: headings, lists and tables that are as readable raw as rendered. A chart
 * becomes the picture that the caller names for it, or its description and its numbers. Never lets a text of the report
 * turn into markup: what Markdown or HTML would take for its own is escaped.
 */

import { chartNumbers } from './chart-numbers.js';
import type { Chart, Report, Section, Table } from './report.js';

export interface MarkdownOptions {
  /** From a chart's title to the path or address of its picture, relative to where the document will lie. */
  readonly images?: Readonly<Record<string, string>>;
}

/** The whole document, one newline at its end. The same report gives the same text. */
export function renderMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const blocks = [
    `# ${inline(report.title)}`,
    `> ${inline(report.question)}`,
    `**${inline(report.headline.text)}**`,
    ...figures(report),
    ...verdicts(report),
    ...report.sections.flatMap((section) => sectionBlocks(section, options.images ?? {})),
    '## Make it again',
    fenced(report.replay),
    report.provenance.map(({ label, value }) => `- ${inline(label)}: ${inline(value)}`).join('\n'),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function figures({ figures: all }: Report): string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ label, value, note }) => [label, value, note ?? '']);
  const columns = [
    { label: 'Figure', numeric: false },
    { label: 'Value', numeric: true },
    { label: '', numeric: false },
  ];
  return [grid({ caption: '', columns, rows })];
}

function verdicts({ verdicts: all }: Report): string[] {
  if (all.length === 0) return [];
  const passed = all.filter((verdict) => verdict.pass).length;
  const lines = all.map(({ pass, text }) => `- **${pass ? 'PASS' : 'FAIL'}** ${inline(text)}`);
  return ['## Verdicts', `${passed} of ${all.length} pass.`, lines.join('\n')];
}

function sectionBlocks(section: Section, images: Readonly<Record<string, string>>): string[] {
  return [
    `## ${inline(section.heading)}`,
    ...(section.text ?? '').split(/\n{2,}/).map(paragraph),
    ...section.charts.flatMap((chart) => chartBlocks(chart, images)),
    ...section.tables.flatMap((table) => [`**${inline(table.caption)}**`, grid(table)]),
  ];
}

function chartBlocks(chart: Chart, images: Readonly<Record<string, string>>): string[] {
  const image = Object.hasOwn(images, chart.title) ? images[chart.title] : undefined;
  const title = `**${inline(chart.title)}**`;
  if (image === undefined) return [title, paragraph(chart.description), grid(chartNumbers(chart))];
  return [title, `![${inline(chart.description)}](${destination(image)})`];
}

function grid({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(inline).join(' | ')} |`;
  const rule = `| ${columns.map(({ numeric }) => (numeric ? '---:' : '---')).join(' | ')} |`;
  return [line(columns.map(({ label }) => label)), rule, ...rows.map(line)].join('\n');
}

/** A fence longer than any run of backticks inside. */
function fenced(code: string): string {
  const runs = code.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  return `${fence}sh\n${code}\n${fence}`;
}

/** One line of text. An underscore inside a word is no markup and stays bare, as in `idle_reset`. */
function inline(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<|~]|&(?=#?\w+;)/g, '\\$&')
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\_');
}

/** Inline text that stands at the start of a line, where more characters have a meaning. */
function paragraph(text: string): string {
  return inline(text)
    .replace(/^([#+=>-])/, '\\$1')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

function destination(path: string): string {
  return encodeURI(path).replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}
