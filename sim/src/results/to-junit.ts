/**
 * Results of runs as JUnit XML, as CI servers read it: a suite per run, a case per expectation and per invariant. What came
 * and what was allowed stands in a failure's message. Pure text; decides no verdict.
 */

import type { Invariant, InvariantBroken } from './checks/invariants.js';
import { INVARIANTS } from './checks/invariants.js';
import type { Summary } from './summary.js';
import { verdictWords } from './verdict-words.js';

export interface JunitSuite {
  readonly name: string;
  /** Of the scenario's time. */
  readonly seconds: number;
  readonly cases: readonly JunitCase[];
  /** What else there is to know of the run; empty = nothing. */
  readonly note: string;
}

export interface JunitCase {
  readonly group: 'expectations' | 'invariants';
  readonly name: string;
  readonly verdict: 'passed' | { readonly failure: string } | { readonly skipped: string };
}

const NAMES = Object.keys(INVARIANTS) as readonly Invariant[];

/** Of a run that kept all invariants. */
export function suiteOf(summary: Summary): JunitSuite {
  const { scenario, virtualMs, complete, expectations } = summary;
  return {
    name: scenario,
    seconds: virtualMs / 1000,
    cases: [
      ...expectations.map((result): JunitCase => {
        const verdict = result.pass ? 'passed' : { failure: verdictWords(result, summary) };
        return { group: 'expectations', name: result.path, verdict };
      }),
      ...NAMES.map((name): JunitCase => ({ group: 'invariants', name: caseName(name), verdict: 'passed' })),
    ],
    note: complete ? '' : 'stopped before its end',
  };
}

/** Of a run that broke one, and so has no figures. @param expected the paths of its expectations. */
export function brokenSuite(scenario: string, expected: readonly string[], broken: InvariantBroken): JunitSuite {
  const skipped = { skipped: 'the run broke an invariant' };
  return {
    name: scenario,
    seconds: broken.event.t / 1000,
    cases: [
      ...expected.map((name): JunitCase => ({ group: 'expectations', name, verdict: skipped })),
      ...NAMES.map((name): JunitCase => {
        const verdict = name === broken.invariant ? { failure: broken.message } : 'passed';
        return { group: 'invariants', name: caseName(name), verdict };
      }),
    ],
    note: '',
  };
}

export function toJunit(suites: readonly JunitSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="sim run" ${counts(cases)} time="${secondsText(suites.reduce((sum, { seconds }) => sum + seconds, 0))}">`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function caseName(name: Invariant): string {
  return `${name}: ${INVARIANTS[name]}`;
}

function suiteLines({ name, seconds, cases, note }: JunitSuite): readonly string[] {
  return [
    `  <testsuite name="${escaped(name)}" ${counts(cases)} time="${secondsText(seconds)}">`,
    ...cases.flatMap((each) => caseLines(name, each)),
    ...(note === '' ? [] : [`    <system-err>${escaped(note)}</system-err>`]),
    '  </testsuite>',
  ];
}

function caseLines(suite: string, { group, name, verdict }: JunitCase): readonly string[] {
  const head = `    <testcase classname="${escaped(`${suite}.${group}`)}" name="${escaped(name)}" time="0"`;
  if (verdict === 'passed') return [`${head}/>`];
  const inner =
    'failure' in verdict
      ? `      <failure type="${group}" message="${escaped(verdict.failure)}">${escaped(verdict.failure)}</failure>`
      : `      <skipped message="${escaped(verdict.skipped)}"/>`;
  return [`${head}>`, inner, '    </testcase>'];
}

function counts(cases: readonly JunitCase[]): string {
  const having = (what: string): number =>
    cases.filter(({ verdict }) => verdict !== 'passed' && what in verdict).length;
  return `tests="${cases.length}" failures="${having('failure')}" errors="0" skipped="${having('skipped')}"`;
}

function secondsText(seconds: number): string {
  return String(Math.round(seconds * 1000) / 1000);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For text and attributes. XML 1.0 cannot write most control characters nor half a surrogate pair: they become �. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] as string)
    .replaceAll(/[\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '\ufffd');
}
