/**
 * A scenario from its text: parsed, changed by the command line, checked, resolved. Either the whole scenario comes out or
 * all its problems at once, each with its line. Reads no file but through the `readFile` it is given; throws nothing.
 */

import { basename, dirname, extname, join } from 'node:path';
import { crossChecks, summaryNames } from './cross-checks.js';
import { csvFiles } from './csv.js';
import { readExpectations } from './expectations.js';
import type { FoundFile } from './found-files.js';
import { check } from './issues.js';
import { applyOverrides, type Overridden, type OverrideOptions } from './overrides.js';
import { isWithin, type Path } from './path.js';
import { type Finding, inOrder, isOption, type Problem, shownPath } from './problems.js';
import { withProfiles } from './profiles.js';
import { asMapping } from './raw-data.js';
import type { Scenario } from './scenario.js';
import { isScenarioName, type LanguageSchemas, languageSchemas, type WrittenScenario } from './schema.js';
import { summaryFields } from './summary-fields.js';
import { readTimeline } from './timeline.js';
import { readYaml, type YamlSource } from './yaml-document.js';

export interface ScenarioSource {
  readonly text: string;
  /** As problems name it. */
  readonly path?: string;
  /** Reads a file that the scenario names, relative to the scenario. Throws if it cannot. */
  readFile(relativePath: string): string;
  /** Finds the files that a pattern matches. Throws if it cannot; absent: there are no files. */
  findFiles?(pattern: string): readonly FoundFile[];
}

export type LoadResult =
  | {
      readonly kind: 'scenario';
      readonly scenario: Scenario;
      /** What turns out to be wrong with a value when it is used, as a problem of its line. */
      readonly problemAt: (path: Path, message: string) => Problem;
    }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] };

/** A scenario whose text is parsed, to be loaded many times with other changes of the command line. */
export interface OpenScenario {
  /** @param options What the command line changes; each wins over the file. */
  load(options?: OverrideOptions): LoadResult;
  /** Of the whole language, for what a path may name. */
  readonly schema: unknown;
}

/** @param options What the command line changes; each wins over the file. */
export function loadScenario(source: ScenarioSource, options: OverrideOptions = {}): LoadResult {
  return openScenario(source).load(options);
}

/** Parses once, which takes most of the time of loading; a file that the scenario names is read once too. */
export function openScenario(source: ScenarioSource): OpenScenario {
  const yaml = readYaml(source.text);
  const nameOfFile = (path: string): string => (source.path === undefined ? path : join(dirname(source.path), path));
  const find = (pattern: string): readonly FoundFile[] => source.findFiles?.(pattern) ?? [];
  const schemas = languageSchemas({ ...csvFiles((path) => source.readFile(path), nameOfFile), find });
  return { load: (options = {}) => loadParsed(source, yaml, schemas, options), schema: schemas.scenario };
}

function loadParsed(
  source: ScenarioSource,
  yaml: YamlSource,
  schemas: LanguageSchemas,
  options: OverrideOptions,
): LoadResult {
  const syntax = yaml.problems.map((problem) => ({ ...fileOf(source), ...problem, path: shownPath(problem.path) }));
  if (yaml.data === null) {
    const empty: Problem = { ...fileOf(source), line: 1, column: 1, path: '', message: emptyMessage };
    return problemsOf(syntax.length === 0 ? [empty] : syntax, source);
  }
  const overridden = overrides(schemas, yaml.data, options);
  const resolved = resolve(schemas, overridden.data, source.path);
  if (resolved.kind === 'scenario' && syntax.length === 0 && overridden.findings.length === 0) {
    const problemAt = (path: Path, message: string): Problem =>
      toProblem({ path, at: 'value', message }, yaml, overridden, source);
    return { ...resolved, problemAt };
  }
  const findings = resolved.kind === 'findings' ? resolved.findings : [];
  const problems = [...overridden.findings, ...findings].map((finding) => toProblem(finding, yaml, overridden, source));
  return problemsOf([...syntax, ...problems], source);
}

const emptyMessage = 'is empty; a scenario is a mapping with providers and workload';

function fileOf({ path }: ScenarioSource): { readonly file?: string } {
  return path === undefined ? {} : { file: path };
}

function problemsOf(problems: readonly Problem[], source: ScenarioSource): LoadResult {
  return { kind: 'problems', problems: inOrder(problems, source.path) };
}

function overrides(schemas: LanguageSchemas, data: unknown, options: OverrideOptions): Overridden {
  // What is no mapping has no place for a value; that it is none is the one thing to say.
  if (asMapping(data) === undefined) return { data, findings: [], origins: [] };
  return applyOverrides(schemas.scenario, data, options);
}

type Resolved =
  | { readonly kind: 'scenario'; readonly scenario: Scenario }
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] };

function resolve(schemas: LanguageSchemas, written: unknown, path: string | undefined): Resolved {
  // Again, for a model that an override has brought.
  const data = withProfiles(written);
  const checked = check(schemas.scenario, data);
  const expectations = readExpectations(asMapping(data)?.expect, summaryFields(summaryNames(data)));
  const timeline = readTimeline(data, schemas);
  const findings = [
    ...(checked.kind === 'findings' ? checked.findings : []),
    ...crossChecks(data),
    ...expectations.findings,
    ...timeline.findings,
  ];
  if (checked.kind === 'findings' || findings.length > 0) return { kind: 'findings', findings };
  const { name, ...rest } = checked.value;
  return {
    kind: 'scenario',
    scenario: assemble({ ...rest, name: name ?? nameFrom(path) }, timeline.entries, expectations.expectations),
  };
}

function assemble(
  { name, question, seed, governor, providers, workload, stop, live }: WrittenScenario & { readonly name: string },
  timeline: Scenario['timeline'],
  expect: Scenario['expect'],
): Scenario {
  const rest = { timeline, stop, expect, ...(live && { live }) };
  return { name, question, seed, governor, providers, workload, ...rest };
}

function nameFrom(path: string | undefined): string {
  const name = path === undefined ? '' : basename(path, extname(path));
  return isScenarioName(name) ? name : 'scenario';
}

function toProblem(finding: Finding, yaml: YamlSource, { origins }: Overridden, source: ScenarioSource): Problem {
  const { path, at, message, where } = finding;
  const origin = origins.findLast((entry) => isWithin(path, entry.path));
  const text = { path: shownPath(path), message };
  const place =
    origin === undefined ? { ...fileOf(source), ...yaml.place(path, at) } : { file: origin.option, line: 0, column: 0 };
  if (where === undefined) return { ...place, ...text };
  return { ...where, ...text, ...(!isOption(where) && { namedIn: place }) };
}
