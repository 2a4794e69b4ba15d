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
const LINES = [
  ['calls', 'primary', calls],
  ['agents', 'secondary', agents],
  ['runs', 'limit', runs],
  ['keys', 'muted', keys],
  ['requests open at once', 'bad', open],
];
const chart = {
  kind: 'line',
  title: 'What a simulated call costs, over how many there are',
  description:
    'The CPU time of a call while calls, agents, runs, keys or open requests grow: flat where it is constant.',
  xLabel: 'how many, as a power of ten',
  xUnit: 'number',
  yLabel: 'µs CPU per call',
  yMin: 0,
  series: LINES.map(([name, role, rows]) => ({
    name,
    style: 'line',
    role,
    points: rows.map(({ count, microseconds }) => [Math.log10(count), microseconds]),
  })),
  bands: [],
};
writeFileSync(new URL('scaling.png', import.meta.url), await renderPng(chart));
console.log(
  '| how many | calls | agents | runs | keys | requests open at once |\n| ---: | ---: | ---: | ---: | ---: | ---: |',
);
for (const [i, count] of COUNTS.entries()) {
  const cells = [calls, agents, runs, keys, open].map((rows) => of(rows)[i]?.toFixed(1) ?? '');
  console.log(`| ${written(count)} | ${cells.join(' | ')} |`);
}
