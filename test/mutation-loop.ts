/**
 * Runs in the copy that mutation-score.mjs makes, after all tests have run once on the instrumented sources: each mutant in
 * turn is made active, and the tests that reach it are called again, the quick ones first, until one fails. All in one
 * thread: a mutant costs the tests alone. What is noted is appended at once, so that a thread that
 * hangs loses nothing.
 */

import { appendFileSync, readFileSync, utimesSync } from 'node:fs';

import { type RunnerTestCase, TestRunner } from 'vitest';

/** What Stryker's instrumentation reads and counts. */
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

interface Ran {
  readonly test: RunnerTestCase;
  readonly ms: number;
}

const host = globalThis as { __stryker__?: Instrumentation; mutationTests?: Ran[] };
host.__stryker__ ??= {};
host.mutationTests ??= [];
export const instrumentation: Instrumentation = host.__stryker__;
export const ran: Ran[] = host.mutationTests;

const realTimeout = globalThis.setTimeout;
const realNow = performance.now.bind(performance);

type Outcome = 'Survived' | 'Killed' | 'Timeout';

async function call({ test }: Ran): Promise<void> {
  const hooks = test.suite === undefined ? undefined : TestRunner.getSuiteHooks(test.suite);
  for (const hook of hooks?.beforeEach ?? []) await (hook as (context: unknown) => unknown)(test.context);
  try {
    await TestRunner.getTestFn(test)();
  } finally {
    for (const hook of hooks?.afterEach ?? []) await (hook as (context: unknown) => unknown)(test.context);
  }
}

/**
 * Whoever waits for ever is late: two hundred turns of the event loop have found nothing else to do, and twenty times what
 * the test takes by itself is over. Turns do not pass while a busy machine runs others.
 */
async function outcomeOf(one: Ran): Promise<Outcome> {
  let outcome: Outcome | undefined;
  const called = call(one).then(
    () => (outcome ??= 'Survived'),
    () => (outcome ??= 'Killed'),
  );
  const from = realNow();
  const late = async (): Promise<void> => {
    for (let turns = 0; outcome === undefined; turns++) {
      if (turns > 200 && realNow() - from > 200 + 20 * one.ms) outcome = 'Timeout';
      await new Promise((resolve) => realTimeout(resolve, 1));
    }
  };
  await Promise.race([called, late()]);
  return outcome as Outcome;
}

async function outcomeUnder(id: string, one: Ran, hits: number): Promise<Outcome> {
  instrumentation.activeMutant = id;
  instrumentation.hitCount = 0;
  // What is reached a hundred times as often as without the mutant goes round in circles.
  instrumentation.hitLimit = 10_000 + 100 * hits;
  const outcome = await outcomeOf(one);
  const isCircle = instrumentation.hitCount > instrumentation.hitLimit;
  instrumentation.activeMutant = undefined;
  instrumentation.hitCount = undefined;
  return isCircle ? 'Timeout' : outcome;
}

/** Ends early where a mutant spoiled the thread: what is not noted yet is the next thread's. */
export async function runMutants(ids: readonly string[], logPath: string): Promise<void> {
  const note = (...words: readonly string[]): void => appendFileSync(logPath, `${words.join(' ')}\n`);
  const { static: atImport, perTest } = instrumentation.mutantCoverage ?? { static: {}, perTest: {} };
  const importHits = { ...atImport };
  instrumentation.currentTestId = undefined;
  const log = readFileSync(logPath, 'utf8').split('\n');
  const noted = new Set(log.filter((line) => /^\d+ [A-Z]/.test(line)).map((line) => line.split(' ')[0]));
  const isAgain = (id: string): boolean => log.includes(`${id} again`);

  // A test that fails when it is called again, with nothing changed, can tell nothing.
  const usable: Ran[] = [];
  for (const one of ran) {
    if (one.test.result?.state !== 'pass') continue;
    if ((await outcomeOf(one)) === 'Survived') usable.push(one);
    else note('unusable', one.test.name);
  }
  usable.sort((a, b) => a.ms - b.ms);

  const left = ids.filter((id) => !noted.has(id));
  left.sort((a, b) => Number(isAgain(b)) - Number(isAgain(a)));
  for (const [nth, id] of left.entries()) {
    const reaching = usable.filter(({ test }) => perTest[test.id]?.[id] !== undefined);
    let outcome: Outcome | 'NoCoverage' | 'Ignored' = 'Survived';
    if (reaching.length === 0) outcome = importHits[id] === undefined ? 'NoCoverage' : 'Ignored';
    note(id, 'begins');
    for (const one of reaching) {
      // A sign of life.
      utimesSync(logPath, new Date(), new Date());
      outcome = await outcomeUnder(id, one, perTest[one.test.id]?.[id] as number);
      if (outcome === 'Survived') continue;
      if ((await outcomeOf(one)) === 'Survived') break;
      // The thread is spoilt. By this mutant, if it is the first: then it was noticed; else it is tried again by itself.
      note(id, nth === 0 ? outcome : 'again');
      note('spoilt');
      return;
    }
    note(id, outcome);
  }
  note('done');
}
