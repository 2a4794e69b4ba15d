/**
 * `npm run docs:api` writes docs/api.md: every public name of the governor with its signature and docstring, by entry
 * point, read from the sources that `governor/package.json` exports. With `--check` it writes nothing and fails when the
 * file is not current. Adds no word of its own about a name: what is missing there is missing in the docstring.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/api.md');
const GROUPS = ['Functions and values', 'Classes', 'Types', 'Types that are only reached through others'];
const UNEXPORTED = 3;
const INTRO = `The public names of \`@tidegate/governor\` by entry point, from their docstrings. The rules behind them are in
[spec.md](spec.md), the way in is the [README](../governor/README.md). Written by \`npm run docs:api\`, never by hand.`;

/** Path → its declarations by name, what it imports, and what it lets out. */
const modules = new Map();

function moduleOf(path) {
  const known = modules.get(path);
  if (known) return known;
  const text = readFileSync(path, 'utf8');
  const module = {
    path,
    header: textOf(/^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? ''),
    declared: new Map(),
    names: new Map(),
    docs: new Map(),
  };
  modules.set(path, module);
  const { outputText } = ts.transpileDeclaration(text, { fileName: path, compilerOptions: {} });
  // Types as they are written; of what has a body, the declaration alone.
  for (const statement of parsed(path, text).statements) addNames(module, statement);
  for (const statement of parsed(path, text).statements) if (isType(statement)) addDeclaration(module, statement);
  for (const statement of parsed(path, outputText).statements)
    if (!isType(statement)) addDeclaration(module, statement);
  return module;
}

function parsed(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

function isType(statement) {
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
}

function declaredNames(statement) {
  const names = (statement.declarationList?.declarations ?? [statement]).map(({ name }) => name);
  return names.filter((name) => name !== undefined && ts.isIdentifier(name)).map(({ text }) => text);
}

function addDeclaration({ declared }, statement) {
  for (const name of declaredNames(statement)) declared.set(name, [...(declared.get(name) ?? []), statement]);
}

function addNames({ names, docs, path }, statement) {
  for (const name of declaredNames(statement)) docs.set(name, docs.get(name) || docOf(statement));
  const from = statement.moduleSpecifier?.text;
  const origin = from?.startsWith('.') ? join(dirname(path), from.replace(/\.js$/, '.ts')) : undefined;
  const specifiers = statement.exportClause?.elements ?? statement.importClause?.namedBindings?.elements ?? [];
  for (const { name, propertyName } of specifiers) {
    names.set(name.text, { origin, name: (propertyName ?? name).text, isExport: ts.isExportDeclaration(statement) });
  }
  if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return;
  for (const name of declaredNames(statement)) names.set(name, { name, isExport: true });
}

/** Where a name that a module uses or lets out is declared; undefined for what comes from outside the package. */
function find(module, name) {
  const own = module.declared.get(name);
  if (own) return { id: `${module.path}#${name}`, name, module, statements: own };
  const link = module.names.get(name);
  return link?.origin && find(moduleOf(link.origin), link.name);
}

/** The docstring that stands right before `node`; one with an empty line after it is the file's. */
function docOf(node) {
  const { text } = node.getSourceFile();
  const { pos = 0, end = 0 } = ts.getLeadingCommentRanges(text, node.pos)?.at(-1) ?? {};
  const isOwn = !text.slice(end, node.getStart()).includes('\n\n');
  return isOwn ? textOf(text.slice(pos, end)) : '';
}

function textOf(comment) {
  const lines = comment.replace(/^\/\*\*|\*\/$/g, '').split('\n');
  return lines
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}

/** A docstring as prose: its tags become sentences. */
function prose(doc) {
  return doc
    .replace(/\s*@throws /g, '\n\nThrows ')
    .replace(/\s*@param (\w+) /g, '\n\n`$1`: ')
    .trim();
}

function groupOf({ statements: [statement] }) {
  if (ts.isFunctionDeclaration(statement) || ts.isVariableStatement(statement)) return 0;
  return ts.isClassDeclaration(statement) ? 1 : 2;
}

/** A class repeats the docs of its interface nowhere: members without words of their own are left to the interface. */
function leftToInterface({ module, statements: [statement] }) {
  const interfaces = (statement.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
    .flatMap(({ types }) => types.map(({ expression }) => find(module, expression.getText())))
    .filter(Boolean);
  const promised = new Set(interfaces.flatMap(({ statements: [s] }) => s.members.map((m) => m.name?.getText())));
  return (statement.members ?? []).filter((m) => !docOf(m) && promised.has(m.name?.getText()));
}

function signature(item) {
  const hidden = new Set(leftToInterface(item));
  const shown = item.statements.map((statement) => {
    const text = statement.getText();
    if (isType(statement)) return text.replace(/^export /, '');
    const members = (statement.members ?? []).filter(({ name }) => name && ts.isPrivateIdentifier(name));
    const cuts = [...members, ...hidden].sort((a, b) => b.pos - a.pos);
    const start = statement.getStart();
    return cuts
      .reduce((rest, { pos, end }) => rest.slice(0, pos - start) + rest.slice(end - start), text)
      .replace(/^export declare /, '')
      .replace(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
  });
  return ['```ts', ...shown, '```'].join('\n');
}

/** What the declaration of an item names, in order. */
function references(item) {
  const found = new Map();
  const visit = (node) => {
    if (
      ts.isIdentifier(node) &&
      (ts.isTypeReferenceNode(node.parent) ||
        ts.isTypeQueryNode(node.parent) ||
        ts.isExpressionWithTypeArguments(node.parent))
    ) {
      const other = find(item.module, node.text);
      if (other && other.id !== item.id) found.set(other.id, other);
    }
    node.forEachChild(visit);
  };
  for (const statement of item.statements) visit(statement);
  return [...found.values()];
}

/** One item; `anchors` are those of the items that are on the page. */
function section(item, anchors) {
  const links = references(item).flatMap(({ id, name }) => (anchors.has(id) ? [`[${name}](#${anchors.get(id)})`] : []));
  const see = links.length > 0 && `See ${links.join(' · ')}`;
  return [`#### ${item.name}`, prose(item.module.docs.get(item.name)), signature(item), see];
}

function entryPoints() {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'governor/package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, conditions]) => conditions['@tidegate/source'])
    .map(([path, conditions]) => ({
      name: join(name, path),
      module: moduleOf(join(root, 'governor', conditions['@tidegate/source'])),
    }));
}

/** All items in the order of the page: by entry point, group and name. */
function itemsOf(entries) {
  const items = new Map();
  for (const [rank, { module }] of entries.entries()) {
    for (const [exported, { isExport }] of module.names) {
      const item = isExport && find(module, exported);
      if (item && !items.has(item.id)) items.set(item.id, { ...item, rank, group: groupOf(item) });
    }
  }
  // A Map iterates over what is added on the way: types reached through types are found too.
  for (const { rank, ...item } of items.values()) {
    for (const other of references(item)) {
      if (!items.has(other.id)) items.set(other.id, { ...other, rank, group: UNEXPORTED });
    }
  }
  return [...items.values()].sort((a, b) => a.rank - b.rank || a.group - b.group || (a.name < b.name ? -1 : 1));
}

/** Headings that differ only in case get a number, as on the page: `nextretry`, `nextretry-1`. */
function anchorsOf(items) {
  const used = new Map();
  return new Map(
    items.map(({ id, name }) => {
      const anchor = name.toLowerCase();
      const before = used.get(anchor) ?? 0;
      used.set(anchor, before + 1);
      return [id, before === 0 ? anchor : `${anchor}-${before}`];
    }),
  );
}

function page() {
  const entries = entryPoints();
  const items = itemsOf(entries);
  const anchors = anchorsOf(items);
  const blocks = entries.flatMap(({ name, module }, rank) => [
    `## ${name}`,
    prose(module.header),
    ...GROUPS.flatMap((title, group) => {
      const sections = items.filter((item) => item.rank === rank && item.group === group);
      return sections.length === 0 ? [] : [`### ${title}`, ...sections.flatMap((item) => section(item, anchors))];
    }),
  ]);
  return `${['# API', INTRO, ...blocks].filter(Boolean).join('\n\n')}\n`;
}

const text = page();
if (!process.argv.includes('--check')) {
  writeFileSync(target, text);
} else if (readFileSync(target, 'utf8') !== text) {
  console.error(`${relative(process.cwd(), target)} is not current; write it anew with: npm run docs:api`);
  process.exitCode = 1;
}
