/**
 * Draws a report as one HTML file that opens from disk, offline, in light and dark, on a phone, a wide screen and paper.
 * Everything it needs is inside: style, data, Chart.js and the chart builder's own source; its content security policy
 * forbids the rest. A series of more than 4 000 points is thinned to its outline (see `thinning.ts`), so that the page
 * stays light however long the run. Never trusts a text: each one is escaped where it is written.
 */

import { chartNumbers } from './chart-numbers.js';
import { chartSource } from './charts.js';
import { drawnChart } from './drawn-chart.js';
import { inlinedLibraries } from './inlined-libraries.js';
import { type PageData, startPage } from './page-script.js';
import { pageStyle } from './page-style.js';
import { palettes } from './palette.js';
import type { Chart, Figure, Report, Section, Table, Tone, Verdict } from './report.js';
import { tickSource } from './ticks.js';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/** The whole page. The same report gives the same text. */
export function renderHtml(report: Report): string {
  const charts = report.sections.flatMap((section) => section.charts);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(report.title)}</title>
<link rel="icon" href="data:,">
<style>
${pageStyle()}
</style>
<noscript><style>.plot { display: none; }</style></noscript>
</head>
<body>
<main>
${pageTop(report)}
${verdictList(report.verdicts)}
${report.sections.map(section).join('\n')}
${pageEnd(report)}
</main>
${scripts(charts)}
</body>
</html>
`;
}

function pageTop(report: Report): string {
  const { text, tone } = report.headline;
  return `<header>
<div class="top"><h1>${escapeHtml(report.title)}</h1><button type="button" id="theme" hidden>Theme</button></div>
<p class="question">${escapeHtml(report.question)}</p>
<p class="headline ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span>${escapeHtml(text)}</p>
${figures(report.figures)}
<noscript><p>The charts need JavaScript; their numbers are in the tables below them.</p></noscript>
</header>`;
}

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', warn: '!', neutral: '•' };

/** At most six in a row, in rows as even as can be. */
function figures(all: readonly Figure[]): string {
  if (all.length === 0) return '';
  const columns = Math.ceil(all.length / Math.ceil(all.length / 6));
  return `<dl class="figures" style="--columns: ${columns}">${all.map(figure).join('')}</dl>`;
}

function figure({ label, value, note }: Figure): string {
  const small = note === undefined ? '' : `<dd class="note">${escapeHtml(note)}</dd>`;
  return `<div><dt>${escapeHtml(label)}</dt><dd class="value">${escapeHtml(value)}</dd>${small}</div>`;
}

function verdictList(verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return '';
  const passed = verdicts.filter((verdict) => verdict.pass).length;
  const items = verdicts.map(({ pass, text }) => {
    const badge = pass ? '<span class="badge good">PASS</span>' : '<span class="badge bad">FAIL</span>';
    return `<li>${badge}<span>${escapeHtml(text)}</span></li>`;
  });
  return `<section>
<h2>Verdicts <span class="tally">${passed} of ${verdicts.length} pass</span></h2>
<ul class="verdicts" role="list">
${items.join('\n')}
</ul>
</section>`;
}

function section({ heading, text, charts, tables }: Section): string {
  const paragraphs = (text ?? '').split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  return `<section>
<h2>${escapeHtml(heading)}</h2>
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')}
${charts.length > 0 ? `<div class="charts">\n${charts.map(chartFigure).join('\n')}\n</div>` : ''}
${tables.map(table).join('\n')}
</section>`;
}

function chartFigure(chart: Chart): string {
  const entries = legendEntries(chart);
  const label = escapeHtml(`${chart.title}. ${chart.description}`);
  return `<figure>
<figcaption><h3>${escapeHtml(chart.title)}</h3><p>${escapeHtml(chart.description)}</p></figcaption>
<div class="plot ${chart.kind}" style="--legend: ${entries}"><canvas role="img" aria-label="${label}"></canvas></div>
<details><summary>Numbers</summary>${table(chartNumbers(chart))}</details>
</figure>`;
}

/** How many lines the legend may take on a narrow page. */
function legendEntries(chart: Chart): number {
  switch (chart.kind) {
    case 'line':
      return chart.series.length + (chart.bands.length > 0 ? 1 : 0);
    case 'heatmap':
      return chart.marks.length + 4;
    case 'bar':
    case 'scatter':
    case 'ranges':
      return chart.series.length + (chart.kind === 'ranges' ? Math.ceil(chart.rows.length / 2) : 0);
    default:
      return chart satisfies never;
  }
}

function table({ caption, columns, rows }: Table): string {
  const kind = (i: number): string => (columns[i]?.numeric ? ' class="number"' : '');
  const head = columns.map(({ label }, i) => `<th scope="col"${kind(i)}>${escapeHtml(label)}</th>`).join('');
  const body = rows.map((cells) => {
    const written = cells.map((cell, i) =>
      i === 0 && !columns[0]?.numeric
        ? `<th scope="row">${escapeHtml(cell)}</th>`
        : `<td${kind(i)}>${escapeHtml(cell)}</td>`,
    );
    return `<tr>${written.join('')}</tr>`;
  });
  return `<div class="table" role="region" tabindex="0" aria-label="${escapeHtml(caption)}"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table></div>`;
}

function pageEnd(report: Report): string {
  const facts = report.provenance.map(
    ({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<section>
<h2>Make it again</h2>
<div class="replay"><pre id="command">${escapeHtml(report.replay)}</pre><button type="button" id="copy" hidden>Copy</button></div>
<dl class="provenance">${facts.join('')}</dl>
</section>`;
}

function scripts(charts: readonly Chart[]): string {
  const data: PageData = { charts: charts.map(drawnChart), palettes };
  const kinds = charts.map(({ kind }) => kind);
  const libraries =
    kinds.length > 0 ? `<script>${inlinedLibraries({ matrix: kinds.includes('heatmap') })}</script>\n` : '';
  return `${libraries}<script type="application/json" id="data">${escapeJson(data)}</script>
<script>
(() => {
'use strict';
${tickSource()}
${chartSource(kinds)}
${String(startPage)}
const data = JSON.parse(document.getElementById('data').textContent);
startPage({ ...data, browser: window, ticks, chartConfig });
})();
</script>`;
}

/** For text and for values of attributes in double quotes. */
function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** JSON that cannot end a script element, open a comment in it, or break a line in an old parser. */
function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
