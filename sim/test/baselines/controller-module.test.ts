/** A controller out of somebody's own module: what it may be, and what is said where it is something else. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadController } from '../../src/baselines/controller-module.js';
import { run } from '../../src/run.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { simulatedWorld } from '../../src/transport/world.js';
import { scenarioText } from '../simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'tidegate-controllers-'));
afterAll(() => rmSync(folder, { recursive: true }));

let written = 0;
function module(text: string): string {
  const path = join(folder, `${++written}.mjs`);
  writeFileSync(path, text);
  return path;
}

/** Two at once and no cooldown, in as few words as a controller can be. */
const TWO = `{
  constructor({ key, initial = 2 } = {}) { this.key = key; this.cap = initial; this.inFlight = 0; }
  canAdmit() { return this.inFlight < this.cap; }
  observed() { return []; }
  admitted() { this.inFlight++; return 0; }
  succeeded() { this.inFlight--; return []; }
  throttled() { this.inFlight--; return []; }
  failed() { this.inFlight--; return []; }
  ended() { this.inFlight--; return []; }
  waiting() { return []; }
  setGrowthLimit() { return []; }
  seed() { return []; }
  snapshot() {
    const { key, cap, inFlight } = this;
    return { key, initial: cap, growthLimit: cap, cap, epoch: 0, inFlight, waiters: 0, successStreak: 0 };
  }
}`;

describe('a module', () => {
  it.each([
    ['the class of a controller, made with the key and what the scenario states', `export default class ${TWO}`, 3],
    ['a function from a key', `class Two ${TWO}\nexport default (key) => new Two({ key })`, 2],
  ])('exports %s', async (_, text, cap) => {
    const make = await loadController(module(text), { initial: 3 });
    expect(make('p/m').snapshot()).toMatchObject({ key: 'p/m', cap });
  });

  it.each([
    ['is not there', join(folder, 'nowhere.mjs'), 'no such file'],
    ['does not parse', module('export default {'), /^it does not load: \w/],
    ['throws', module("throw new Error('of its own\\nsecond line')"), 'it does not load: of its own'],
    [
      'exports nothing',
      module('export const one = 1'),
      'expected a default export that is (key) => controller or the class of one; it has none',
    ],
    [
      'exports something else',
      module('export default { canAdmit() {} }'),
      'expected a default export that is (key) => controller or the class of one; it is of type object',
    ],
    [
      'makes nothing',
      module('export default () => undefined'),
      'its default export makes no controller: controller: expected a ConcurrencyController for "any/model", got undefined',
    ],
    [
      'makes half a controller',
      module('export default () => ({ canAdmit() {}, snapshot() { return { cap: 1 } } })'),
      /^its default export makes no controller: .* got one without observed, admitted, succeeded, /,
    ],
    [
      'has a factory that throws',
      module("export default () => { throw new Error('no key for you') }"),
      'its default export makes no controller: no key for you',
    ],
  ])('that %s is refused in one line', async (_, path, message) => {
    await expect(loadController(path, {})).rejects.toThrow(message);
  });
});

describe('a run with a module', () => {
  const scenario = scenarioText(`
name: own
governor: { controller: ./own.mjs }
providers: { acme: { models: { large: { quotas: [{ concurrency: 5 }], latency: { service: 1s } } } } }
workload: { runs: [{ id: work, target: acme/large, agents: { count: 6 } }] }
`);

  async function events(): Promise<readonly TraceEvent[]> {
    const controller = await loadController(module(`export default class ${TWO}`), scenario.governor.options);
    const seen: TraceEvent[] = [];
    const world = simulatedWorld(scenario);
    await run({ scenario, world, version: 'test', controller, observe: (event) => seen.push(event) });
    return seen;
  }

  it('goes by it, and its trace names the module as it was written, the same each time', async () => {
    const first = await events();
    expect(first[0]).toMatchObject({ type: 'trace-started', controller: './own.mjs', initial: 2 });
    expect(first.at(-1)).toMatchObject({ type: 'trace-finished', complete: true, t: 3_000 });
    expect(await events()).toEqual(first);
  });

  it('is refused where nobody has loaded it', async () => {
    const world = simulatedWorld(scenario);
    const started = run({ scenario, world, version: 'test', observe() {} });
    await expect(started).rejects.toThrow('controller: the module ./own.mjs is not loaded');
  });
});
