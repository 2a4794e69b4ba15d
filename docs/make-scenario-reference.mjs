/**
 * `npm run docs:scenario` writes docs/scenario-reference.md: every field of the scenario language, read from the schema
 * that editors complete from. With `--check` it writes nothing and fails when the page is not current.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/scenario-reference.md');
const INTRO = `# Scenario reference

Every field of a scenario, from the schema that editors complete from (\`npx sim schema\`). A scenario is one YAML file that
asks one question; \`npx sim init FILE\` writes one to begin with, \`npx sim check FILE\` lists all problems of one at once.
Written by \`npm run docs:scenario\`, never by hand.
`;

/** A mapping gets a section of its own, named by its path; \`[]\` is an entry of a list, \`*\` a name of one's own. */
function sectionsOf(schema, path, defs) {
  return shapesOf(schema).flatMap(({ shape, at }) => {
    const own = [...path, ...at];
    const fields = Object.entries(shape.properties ?? {}).filter(([name]) => name !== '$schema');
    const named = shape.additionalProperties;
    const below = [
      ...fields.flatMap(([name, field]) => sectionsOf(field, [...own, name], defs)),
      ...(typeof named === 'object' ? sectionsOf(named, [...own, '*'], defs) : []),
    ];
    if (fields.length === 0) return below;
    const required = new Set(shape.required ?? []);
    const rows = fields.map(([name, field]) => row(name, field, required.has(name)));
    return [`## ${titleOf(own)}\n\n${paragraph(shape)}${table(rows)}`, ...below];
  });
}

/** The mappings that a value may be, a list's entries among them. */
function shapesOf(schema) {
  const found = [];
  const look = (candidate, at) => {
    for (const option of candidate.anyOf ?? candidate.oneOf ?? candidate.allOf ?? []) look(option, at);
    if (candidate.type === 'object' || candidate.properties) found.push({ shape: candidate, at });
    if (candidate.items) look(candidate.items, [...at, '[]']);
  };
  look(schema, []);
  return found;
}

function titleOf(path) {
  return path.length === 0 ? 'The scenario' : `\`${path.join('.').replaceAll('.[]', '[]')}\``;
}

function paragraph({ description }) {
  return description === undefined ? '' : `${escaped(description)}\n\n`;
}

function row(name, field, isRequired) {
  const fallback = isRequired ? '**needed**' : 'default' in field ? code(JSON.stringify(field.default)) : '';
  return [code(name), kindOf(field), fallback, escaped(field.description ?? '')];
}

function table(rows) {
  return [
    '| field | what it is | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ]
    .join('\n')
    .concat('\n');
}

function kindOf(schema) {
  if (schema.$ref) return `[${nameOf(schema.$ref)}](#${nameOf(schema.$ref).toLowerCase()})`;
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map(kindOf))].join(' or ');
  if (schema.type === 'array') return `list of ${kindOf(schema.items ?? {})}`;
  if (schema.type === 'object' || schema.properties) return 'mapping';
  return rangeOf(schema);
}

function rangeOf({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }) {
  const kind = {
    integer: 'whole number',
    number: 'number',
    string: 'text',
    boolean: '`true`, `false`',
    null: '`null`',
  };
  const bounds = [
    minimum === undefined ? '' : `≥ ${minimum}`,
    exclusiveMinimum === undefined ? '' : `> ${exclusiveMinimum}`,
    maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : `≤ ${maximum}`,
    exclusiveMaximum === undefined ? '' : `< ${exclusiveMaximum}`,
  ].filter((text) => text !== '');
  return [kind[type] ?? 'any value', ...bounds].join(' ');
}

function nameOf(ref) {
  return ref.split('/').at(-1);
}

/** What the pattern of a text says, in words. */
const FORMS = {
  duration: 'A number with a unit, `250ms`, `20s`, `5m`, `1h`, or several, `1h 30m`; a bare `0` is allowed.',
  durationAboveZero: 'A number with a unit, as above, but not 0.',
  timeOfDay: '`HH:MM`, in UTC or with an offset: `08:00`, `08:00Z`, `08:00+08:00`.',
  meanTime: 'A duration of at least 1 ms.',
  rate: 'A number per second, minute or hour: `2/s`, `90/m`, `1.5/h`.',
  meanGap: 'A rate whose mean gap is at least a microsecond.',
  signedDuration: 'A duration that may be negative: `-5s`.',
};

function sharedOf(defs) {
  const entries = Object.entries(defs).map(([name, schema]) => `### ${name}\n\n${FORMS[name] ?? formsOf(schema)}\n`);
  return `## Values with a form of their own\n\n${entries.join('\n')}`;
}

function formsOf(schema) {
  return (schema.anyOf ?? [schema]).map(formOf).join('\n\n');
}

/** Fields that say what they mean get a table, others a line. */
function formOf(form) {
  const fields = Object.entries(form.properties ?? {});
  if (fields.length === 0) return `- ${kindOf(form)}`;
  const required = new Set(form.required ?? []);
  if (fields.some(([, { description }]) => description !== undefined)) {
    return `With ${form.required.map(code).join(' and ')}:\n\n${table(fields.map(([name, field]) => row(name, field, required.has(name))))}`;
  }
  const inner = fields.map(([name, { properties }]) =>
    properties === undefined ? `${name}: …` : `${name}: { ${Object.keys(properties).join(', ')} }`,
  );
  return `- ${code(`{ ${inner.join(', ')} }`)}`;
}

function code(text) {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function escaped(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

const schema = JSON.parse(readFileSync(join(root, 'scenarios/scenario.schema.json'), 'utf8'));
const page = [INTRO, ...sectionsOf(schema, [], schema.$defs), sharedOf(schema.$defs)].join('\n');
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== page) {
    console.error('docs/scenario-reference.md is stale; npm run docs:scenario writes it anew');
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, page);
}
