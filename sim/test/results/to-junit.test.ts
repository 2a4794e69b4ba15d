/** JUnit XML: what a CI server counts, and text that is none of XML's business. */

import { describe, expect, it } from 'vitest';
import { Breach, INVARIANTS, InvariantBroken } from '../../src/results/checks/invariants.js';
import { brokenSuite, type JunitSuite, suiteOf, toJunit } from '../../src/results/to-junit.js';
import { scenarioText, simulate } from '../simulate.js';

const INVARIANT_COUNT = Object.keys(INVARIANTS).length;

const SCENARIO = `
name: small
providers: { acme: { models: { large: { latency: { service: 1s } } } } }
workload: { runs: [{ id: r, target: acme/large, agents: { count: 2 } }] }
expect:
  makespan: { max: 500ms }
  'keys["acme/large"].cap.final': { min: 4, max: 6 }
  requests.lost: { equals: 0 }
`;

/** Every element by its path, with its attributes; throws for what is not well formed. */
function elementsOf(xml: string): readonly { readonly path: string; readonly attributes: Record<string, string> }[] {
  const open: string[] = [];
  const found: { path: string; attributes: Record<string, string> }[] = [];
  const rest = xml.replaceAll(
    /<\?xml[^>]*\?>|<(\/?)([\w-]+)((?: [\w-]+="[^"<&]*(?:&(?:amp|lt|gt|quot|#\d+);[^"<&]*)*")*)(\/?)>/g,
    (tag, close, name, text, alone) => {
      if (name === undefined) return '';
      if (close === '/') expect(open.pop()).toBe(name);
      else {
        const attributes = Object.fromEntries(
          [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
        );
        found.push({ path: [...open, name].join('/'), attributes });
        if (alone !== '/') open.push(name);
      }
      return tag === '' ? tag : '';
    },
  );
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|#\d+);)/);
  return found;
}

describe('a JUnit file', () => {
  it('has a case per expectation and per invariant, and in a failure what came and what was allowed', async () => {
    const { summary } = await simulate(scenarioText(SCENARIO));
    const xml = toJunit([suiteOf(summary)]);
    const elements = elementsOf(xml);
    const [all, suite] = elements;
    expect(all?.attributes).toMatchObject({
      tests: String(3 + INVARIANT_COUNT),
      failures: '2',
      errors: '0',
      skipped: '0',
    });
    expect(suite).toMatchObject({
      path: 'testsuites/testsuite',
      attributes: { name: 'small', failures: '2', time: '1' },
    });
    const cases = elements.filter(({ path }) => path.endsWith('/testcase')).map(({ attributes }) => attributes);
    expect(cases.slice(0, 3).map(({ classname, name }) => [classname, name])).toEqual([
      ['small.expectations', 'makespan'],
      ['small.expectations', 'keys[&quot;acme/large&quot;].cap.final'],
      ['small.expectations', 'requests.lost'],
    ]);
    expect(cases.slice(3).every(({ classname }) => classname === 'small.invariants')).toBe(true);
    const failures = elements
      .filter(({ path }) => path.endsWith('/failure'))
      .map(({ attributes }) => attributes.message);
    expect(failures).toEqual([
      'makespan is 1s, expected at most 500ms',
      'keys[&quot;acme/large&quot;].cap.final is 8, expected 4 to 6',
    ]);
  });

  it('of a run that broke an invariant says which, and passes no expectation', () => {
    const event = { t: 1500, type: 'run-stalled', run: 'r', stalledMs: 3 } as const;
    const broken = new InvariantBroken(new Breach('room-under-cap', '9 in flight under a cap of 8'), 7, event);
    const elements = elementsOf(toJunit([brokenSuite('small', ['makespan'], broken)]));
    expect(elements[0]?.attributes).toMatchObject({
      tests: String(1 + INVARIANT_COUNT),
      failures: '1',
      skipped: '1',
      time: '1.5',
    });
    const [failure] = elements.filter(({ path }) => path.endsWith('/failure'));
    expect(failure?.attributes.message).toMatch(/^room-under-cap .*9 in flight under a cap of 8; line 7 of the trace/);
  });

  it('takes any text', () => {
    const text = 'a < b & "c" > d\n\u0000\u001b\ud800 \u{1f30a} é';
    const suite: JunitSuite = {
      name: text,
      seconds: 0.0004,
      cases: [{ group: 'expectations', name: text, verdict: { failure: text } }],
      note: text,
    };
    const [all, one] = elementsOf(toJunit([suite, suite]));
    expect(all?.attributes).toMatchObject({ tests: '2', failures: '2', time: '0.001' });
    expect(one?.attributes.name).toBe('a &lt; b &amp; &quot;c&quot; &gt; d&#10;��� \u{1f30a} é');
  });
});
