/**
 * `npm run docs:profiles` writes docs/profiles.md: the profiles of real providers, each number with its evidence and its
 * source, as they are in the code. With `--check` it writes nothing and fails when the page is not current.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROFILES_COLLECTED, profileNames, profileOf } from '@tidegate/providers-mock';

const target = join(fileURLToPath(new URL('..', import.meta.url)), 'docs/profiles.md');
const INTRO = `# Provider profiles

What \`profile:\` in a scenario and \`npx sim serve --profile\` know of real providers, collected on ${PROFILES_COLLECTED}. Vendors'
numbers age in weeks: they are dated facts, not constants, and any field of a scenario overrides its part of a profile.
_documented_: by the provider, or in its source · _secondary_: documented, read through another page · _observed_: by users,
in a fixture or an issue · _computed_: from facts that are cited · _uncertain_: one weak source, contradictory ones, or a
guess that is said to be one. Written by \`npm run docs:profiles\`, never by hand.
`;

function sectionOf(name) {
  const { about, wire, quotas, models } = profileOf(name);
  const rows = [
    ...quotas.map((fact) => row('all models', 'quota', fact)),
    ...Object.entries(models).flatMap(([model, { quotas: own, ...facts }]) => [
      ...own.map((fact) => row(model, 'quota', fact)),
      ...Object.entries(facts).map(([field, fact]) => row(model, field, fact)),
    ]),
  ];
  const head = '| model | what | value | evidence | source |\n| --- | --- | --- | --- | --- |';
  return `## ${name}\n\n${about} Wire: \`${wire}\`.\n\n${[head, ...rows].join('\n')}\n`;
}

function row(model, what, { value, evidence, source }) {
  const cells = [model, what, `\`${written(value)}\``, evidence, source];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** As YAML writes it in one line. */
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, field]) => `${name}: ${written(field)}`)
    .join(', ')} }`;
}

const page = [INTRO, ...profileNames.map(sectionOf)].join('\n');
if (!process.argv.includes('--check')) {
  writeFileSync(target, page);
} else if (readFileSync(target, 'utf8') !== page) {
  console.error('docs/profiles.md is stale; npm run docs:profiles writes it anew');
  process.exitCode = 1;
}
