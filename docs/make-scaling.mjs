/**
 * `npm run docs:scaling`: measures what a simulated call costs over the number of calls, agents, runs and keys, and draws
 * it into docs/scaling.png. Prints the figures as the table of docs/validation.md. Takes minutes; another machine gives other
 * figures, so nothing checks that they are current.
 */

import { writeFileSync } from 'node:fs';
import { renderPng } from '../reports/dist/index.js';
import { measured } from '../sim/bench/scaling.mjs';

const figures = await measured((line) => console.error(line));
const { calls, agents, runs, keys } = figures;
const written = (count) => count.toLocaleString('en').replaceAll(',', ' ');
const chart = {
  kind: 'bar',
  title: 'What a simulated call costs, over how many there are',
  description: 'The CPU time of a call while calls, agents, runs or keys grow: flat where it is constant.',
  xLabel: 'how many',
  yLabel: 'µs CPU per call',
  categories: ['1', '10', '100', '1 000', '10 000', '100 000', '1 000 000', '10 000 000'],
  series: [
    { name: 'calls', role: 'primary', values: [...Array(4).fill(0), ...calls.map((row) => row.microseconds)] },
    { name: 'agents', role: 'secondary', values: agents.map((row) => row.microseconds) },
    { name: 'runs', role: 'limit', values: runs.map((row) => row.microseconds) },
    { name: 'keys', role: 'muted', values: keys.map((row) => row.microseconds) },
  ].map((series) => ({ ...series, values: Array.from({ length: 8 }, (_, i) => series.values[i] ?? 0) })),
};
writeFileSync(new URL('scaling.png', import.meta.url), await renderPng(chart));
console.log('| how many | calls | agents | runs | keys |\n| ---: | ---: | ---: | ---: | ---: |');
for (const count of [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000]) {
  const cells = [calls, agents, runs, keys].map((rows) => rows.find((row) => row.count === count)?.microseconds);
  console.log(`| ${written(count)} | ${cells.map((value) => value?.toFixed(1) ?? '').join(' | ')} |`);
}
