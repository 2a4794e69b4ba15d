/**
 * What the command line changes in a scenario before it is checked: `--set path=value`, `--seed`, `--controller`. In
 * this order, a later one wins. Each remembers which option it was, for the problems that its value causes.
 */

import type { Path } from './path.js';
import { parsePath } from './path.js';
import type { Finding } from './problems.js';
import { withProfiles } from './profiles.js';
import { setValue } from './set-value.js';
import { readYaml } from './yaml-document.js';

export interface OverrideOptions {
  readonly set?: readonly string[];
  readonly seed?: number;
  /** A controller's name, or `fixed:N`: fixed, at N. */
  readonly controller?: string;
}

export interface Overridden {
  readonly data: unknown;
  readonly findings: readonly Finding[];
  /** Which option brought which value. */
  readonly origins: readonly { readonly path: Path; readonly option: string }[];
}

type Override =
  | { readonly kind: 'value'; readonly option: string; readonly path: Path; readonly value: unknown }
  | { readonly kind: 'finding'; readonly finding: Finding };

export function applyOverrides(schema: unknown, data: unknown, options: OverrideOptions): Overridden {
  const all = readOverrides(options);
  // A profile is chosen first: the other paths may lead into what it brings.
  const chosen = applyAll(schema, data, all.filter(isOfProfile));
  const rest = applyAll(
    schema,
    withProfiles(chosen.data),
    all.filter((override) => !isOfProfile(override)),
  );
  return {
    data: rest.data,
    findings: [...chosen.findings, ...rest.findings],
    origins: [...chosen.origins, ...rest.origins],
  };
}

function applyAll(schema: unknown, data: unknown, overrides: readonly Override[]): Overridden {
  const findings: Finding[] = [];
  const origins: { path: Path; option: string }[] = [];
  let changed = data;
  for (const override of overrides) {
    if (override.kind === 'finding') {
      findings.push(override.finding);
      continue;
    }
    const { option, path, value } = override;
    const result = setValue(schema, changed, path, value);
    if (result.kind === 'problem') {
      findings.push({ path, at: 'value', message: result.message, where: { file: option, line: 0, column: 0 } });
      continue;
    }
    changed = result.data;
    origins.push({ path, option });
  }
  return { data: changed, findings, origins };
}

function isOfProfile(override: Override): boolean {
  if (override.kind === 'finding') return false;
  const { path } = override;
  return path.length === 3 && path[0] === 'providers' && path[2] === 'profile';
}

function readOverrides({ set = [], seed, controller }: OverrideOptions): readonly Override[] {
  return [
    ...set.map(readSet),
    ...(seed === undefined ? [] : [override('--seed', ['seed'], seed)]),
    ...(controller === undefined ? [] : readController(controller)),
  ];
}

function override(option: string, path: Path, value: unknown): Override {
  return { kind: 'value', option, path, value };
}

function readController(text: string): readonly Override[] {
  const fixed = /^fixed:(.*)$/.exec(text);
  if (fixed === null) return [override('--controller', ['governor', 'controller'], text)];
  const cap = Number(fixed[1]);
  return [
    override('--controller', ['governor', 'controller'], 'fixed'),
    override('--controller', ['governor', 'initial'], Number.isNaN(cap) || fixed[1] === '' ? fixed[1] : cap),
  ];
}

function readSet(text: string): Override {
  const problem = (path: Path, message: string): Override => ({
    kind: 'finding',
    finding: { path, at: 'value', message, where: { file: '--set', line: 0, column: 0 } },
  });
  const assignment = splitAssignment(text);
  if (assignment === undefined) return problem([text], 'expected path=value, as seed=2');
  const pathText = assignment.path;
  const reading = parsePath(pathText);
  if (reading.kind === 'problem') return problem([pathText], reading.message);
  const value = readYaml(assignment.value);
  const [fault] = value.problems;
  if (fault !== undefined) return problem(reading.path, `the value ${fault.message}`);
  return override('--set', reading.path, value.data);
}

/** At the first `=` that is not part of a name in brackets; undefined if there is none. */
export function splitAssignment(text: string): { readonly path: string; readonly value: string } | undefined {
  const match = /^(?:[^[=]|\[[^\]]*\])*=/.exec(text);
  if (match === null) return undefined;
  return { path: match[0].slice(0, -1).trim(), value: text.slice(match[0].length) };
}
