/**
 * `npm run docs:scaling`: measures what a simulated call costs over the number of calls, agents, runs, keys and open requests, and draws
 * it into docs/scaling.png. Prints the figures as the table of docs/validation.md. Takes minutes; another machine gives other
 * figures, so nothing checks that they are current.
 */

import { writeFileSync } from 'node:fs';
import { renderPng } from '../reports/dist/index.js';
import { measured } from '../sim/bench/scaling.mjs';

const figures = await measured((line) => console.error(line));
const { calls, open, agents, runs, keys } = figures;
const COUNTS = [1, 10, 64, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];
const of = (rows) => COUNTS.map((count) => rows.find((row) => row.count === count)?.microseconds);
const written = (count) => count.toLocaleString('en').replaceAll(',', ' ');
const chart = {
  kind: 'bar',
  title: 'What a simulated call costs, over how many there are',
  description: 'The CPU time of a call while calls, agents, runs or keys grow: flat where it is constant.',
  xLabel: 'how many',
  yLabel: 'µs CPU per call',
  categories: COUNTS.map(written),
  series: [
    { name: 'calls', role: 'primary', values: of(calls) },
    { name: 'agents', role: 'secondary', values: of(agents) },
    { name: 'runs', role: 'limit', values: of(runs) },
    { name: 'keys', role: 'muted', values: of(keys) },
    { name: 'requests open at once', role: 'bad', values: of(open) },
  ].map((series) => ({ ...series, values: series.values.map((value) => value ?? 0) })),
};
writeFileSync(new URL('scaling.png', import.meta.url), await renderPng(chart));
console.log(
  '| how many | calls | agents | runs | keys | requests open at once |\n| ---: | ---: | ---: | ---: | ---: | ---: |',
);
for (const [i, count] of COUNTS.entries()) {
  const cells = [calls, agents, runs, keys, open].map((rows) => of(rows)[i]?.toFixed(1) ?? '');
  console.log(`| ${written(count)} | ${cells.join(' | ')} |`);
}
