/**
 * YAML text as plain data that remembers its lines. Syntax errors, repeated and unusable keys, and what only serves to
 * exhaust the reader (deep nesting, aliases of aliases) come out as findings with a place; nothing is thrown.
 */

import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
  type YAMLMap,
} from 'yaml';
import { echo, shorten } from './echo.js';
import type { Path } from './path.js';

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface SyntaxProblem extends Place {
  readonly path: Path;
  readonly message: string;
}

export interface YamlSource {
  /** Mappings, lists and scalars; null for a text without content. */
  readonly data: unknown;
  readonly problems: readonly SyntaxProblem[];
  /** Where `path` stands; of a place that is not there, the nearest one around it. */
  place(path: Path, at: 'name' | 'value'): Place;
}

/** Five times what the language needs; the library's recursion would not survive a hundred thousand. */
const deepest = 64;

/** An anchor is a convenience; more uses than this are an attack or a mistake. */
const mostAliases = 100;

/** A reason in the library's words may quote the text it is about. */
const longestReason = 160;

/** Reads one YAML document. Everything is in the result, also where nothing can be made of the text. */
export function readYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const tooDeep = tokens.map(offsetTooDeep).find((offset) => offset !== undefined);
  if (tooDeep !== undefined) {
    return unreadable({ ...placeOf(tooDeep), path: [], message: `nested deeper than ${deepest} levels` });
  }
  return compose(text, tokens, placeOf);
}

function unreadable(problem: SyntaxProblem): YamlSource {
  return { data: null, problems: [problem], place: () => problem };
}

/** The first place beyond the allowed depth, found without recursion. */
function offsetTooDeep(root: CST.Token): number | undefined {
  const stack: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { token, depth } = top;
    if (depth > deepest) return token.offset;
    for (const child of childrenOf(token)) stack.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value].filter((child) => child !== undefined && child !== null));
}

function compose(text: string, tokens: readonly CST.Token[], placeOf: (offset: number) => Place): YamlSource {
  const composer = new Composer({ uniqueKeys: false, resolveKnownTags: false });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) return unreadable({ line: 1, column: 1, path: [], message: 'holds no YAML document' });
  const problems = [...document.errors, ...document.warnings].map((error) => ({
    ...placeOf(error.pos[0]),
    path: [],
    message: `is not YAML: ${shorten(error.message, longestReason)}`,
  }));
  if (second !== undefined) {
    problems.push({
      ...placeOf(second.range[0]),
      path: [],
      message: 'a second document starts; a scenario is one document',
    });
  }
  const nodes = new NodeFinder(document, placeOf);
  const structure = structureProblems(document, nodes);
  const sound = problems.length === 0 && !structure.some((problem) => problem.fatal);
  return {
    ...dataOf(document, sound, [...problems, ...structure]),
    place: (path, at) => nodes.place(path, at),
  };
}

function dataOf(
  document: Document,
  sound: boolean,
  problems: readonly SyntaxProblem[],
): Pick<YamlSource, 'data' | 'problems'> {
  if (!sound) return { data: null, problems };
  try {
    return { data: document.toJS({ maxAliasCount: mostAliases }), problems };
  } catch (error) {
    // The library counts what aliases of aliases would unfold to, and throws a ReferenceError beyond the limit.
    const message = `its aliases cannot be resolved: ${shorten(String((error as Error).message), longestReason)}`;
    return { data: null, problems: [...problems, { line: 1, column: 1, path: [], message }] };
  }
}

interface StructureProblem extends SyntaxProblem {
  /** The data behind it cannot be used at all. */
  readonly fatal: boolean;
}

type Chain = readonly (Document | Node | Pair)[];

/** Repeated keys (the library's own check is quadratic and knows no path), keys that are no names, broken aliases. */
function structureProblems(document: Document, nodes: NodeFinder): readonly StructureProblem[] {
  const problems: StructureProblem[] = [];
  let aliases = 0;
  visit(document, {
    Map: (_, map, ancestors) => {
      problems.push(...keyProblems(map, [...ancestors, map], nodes));
    },
    Alias: (_, alias, ancestors) => {
      aliases += 1;
      problems.push(...aliasProblems(alias, [...ancestors, alias], aliases, document, nodes));
      return aliases > mostAliases ? visit.BREAK : undefined;
    },
  });
  return problems;
}

function keyProblems(map: YAMLMap, chain: Chain, nodes: NodeFinder): readonly StructureProblem[] {
  const seen = new Map<string, Node>();
  return map.items.flatMap(({ key }): readonly StructureProblem[] => {
    const name = keyName(key);
    if (!isNode(key) || name === undefined || name === '__proto__') {
      const message = `${name === undefined ? 'a key' : echo(name)} cannot be the name of a field`;
      return [{ ...nodes.placeOf(isNode(key) ? key : map), path: pathOf(chain), message, fatal: true }];
    }
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, key);
      return [];
    }
    const message = `given twice; first on line ${nodes.placeOf(first).line}`;
    return [{ ...nodes.placeOf(key), path: [...pathOf(chain), name], message, fatal: false }];
  });
}

/** @param number Which alias of the document it is, from 1. */
function aliasProblems(
  alias: Alias,
  chain: Chain,
  number: number,
  document: Document,
  nodes: NodeFinder,
): readonly StructureProblem[] {
  const place = nodes.placeOf(alias);
  // To resolve an alias takes a walk over the document; past the limit nobody needs it.
  if (number > mostAliases) return [{ ...place, path: [], message: `more than ${mostAliases} aliases`, fatal: true }];
  const target = alias.resolve(document);
  if (target !== undefined && !chain.includes(target)) return [];
  const name = shorten(alias.source);
  const message = target === undefined ? `there is no anchor &${name} before it` : `*${name} contains itself`;
  return [{ ...place, path: pathOf(chain), message, fatal: true }];
}

/** A scalar key as the name that the data has for it. */
function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return key.value === null ? undefined : String(key.value);
}

/** The path of a node from the chain of its ancestors, itself last. */
function pathOf(chain: Chain): Path {
  const path: (string | number)[] = [];
  for (const [i, node] of chain.entries()) {
    const next = chain[i + 1];
    if (isSeq(node) && next !== undefined) path.push(node.items.indexOf(next));
    else if (isNode(node) || !('key' in node)) continue;
    else path.push(keyName(node.key) ?? '?');
  }
  return path;
}

/** Finds the node of a path, through aliases; of a repeated key the last, which is the one in the data. */
class NodeFinder {
  readonly #document: Document;
  readonly #placeOf: (offset: number) => Place;
  readonly #fields = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

  constructor(document: Document, placeOf: (offset: number) => Place) {
    this.#document = document;
    this.#placeOf = placeOf;
  }

  placeOf(node: Node): Place {
    return this.#placeOf(node.range?.[0] ?? 0);
  }

  place(path: Path, at: 'name' | 'value'): Place {
    let name: unknown = this.#document.contents;
    let value: unknown = this.#document.contents;
    let depth = 0;
    for (const part of path) {
      const step = this.#step(this.#resolved(value), part);
      if (step === undefined) break;
      name = step.name;
      value = step.value;
      depth += 1;
    }
    const found = depth === path.length && at === 'value' ? value : name;
    // An empty value has no place of its own worth showing: its name has.
    const node = isScalar(found) && found.source === '' ? name : found;
    return this.#placeOf(isNode(node) ? (node.range?.[0] ?? 0) : 0);
  }

  #step(node: unknown, part: string | number): { readonly name: unknown; readonly value: unknown } | undefined {
    if (isSeq(node)) {
      const item = node.items[Number(part)];
      return item === undefined ? undefined : { name: item, value: item };
    }
    const pair = isMap(node) ? this.#fieldsOf(node).get(String(part)) : undefined;
    return pair === undefined ? undefined : { name: pair.key, value: pair.value ?? pair.key };
  }

  #fieldsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#fields.get(map);
    if (known !== undefined) return known;
    const fields = new Map(map.items.map((pair) => [keyName(pair.key) ?? '?', pair]));
    this.#fields.set(map, fields);
    return fields;
  }

  #resolved(value: unknown): unknown {
    return isAlias(value) ? (value as Alias).resolve(this.#document) : value;
  }
}
