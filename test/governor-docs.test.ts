/**
 * The governor's documentation against the governor: examples compile, tables name what exists, numbers are what the code
 * gives, links lead somewhere. A failure names the page and what to write instead.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  AimdController,
  type BucketSnapshot,
  type Classification,
  classify,
  createGovernor,
  nextRetry,
  parseRetryAfter,
  resolveRetryPolicy,
} from '@tidegate/governor';
import { ManualClock } from '@tidegate/governor/testing';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { resolveAimdOptions } from '../governor/src/core/options.js';
import { anchorsIn, bare, namesIn, section, tableOf } from './markdown.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KEY = { provider: 'acme', model: 'large' };
const PAGES = ['governor/README.md', 'docs/spec.md', 'docs/api.md'];
const readme = readFileSync(join(ROOT, 'governor/README.md'), 'utf8');
const spec = readFileSync(join(ROOT, 'docs/spec.md'), 'utf8');
/** From where the second of the two option tables is the first. */
const retryOptions = section(readme, 'Options').split('`retry`, for the governor')[1] as string;

describe('the types behind the pages', () => {
  const aliases = `
    import type * as door from '@tidegate/governor';
    export type GovernorOptions = door.GovernorOptions;
    export type RetryPolicy = door.RetryPolicy;
    export type ConcurrencyController = door.ConcurrencyController;
    export type GovernorEvent = door.GovernorEvent;
    export type RequestEvent = Parameters<Parameters<door.Governor['onRequest']>[0]>[0];
    export type Classification = door.Classification;
    export type CapChange = door.CapChange;
  `;
  const types = 'governor/README.types.ts';
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code], i) => [
    `governor/README.example-${i + 1}.ts`,
    code as string,
  ]);
  const files = new Map([...examples, [types, aliases]].map(([path, code]) => [join(ROOT, path!), code!]));
  let program: ts.Program;
  let checker: ts.TypeChecker;

  beforeAll(() => {
    program = programOf(files);
    checker = program.getTypeChecker();
  }, 120_000);

  function typeOf(name: string): ts.Type {
    const source = program.getSourceFile(join(ROOT, types)) as ts.SourceFile;
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
    return checker.getDeclaredTypeOfSymbol(exported.find((symbol) => symbol.name === name) as ts.Symbol);
  }

  function keysOf(name: string): string[] {
    return typeOf(name)
      .getProperties()
      .map((property) => property.name)
      .sort();
  }

  /** The strings that a member may be; of a union of objects, in any of them. */
  function literalsOf(name: string, member: string): string[] {
    const type = typeOf(name);
    const members = (type.isUnion() ? type.types : [type]).map((part) => part.getProperty(member) as ts.Symbol);
    return members
      .map((symbol) => checker.getTypeOfSymbol(symbol))
      .flatMap((value) => (value.isUnion() ? value.types : [value]))
      .map((value) => (value as ts.StringLiteralType).value)
      .sort();
  }

  it('every ts block of the README compiles on its own', () => {
    expect(examples.length).toBeGreaterThan(5);
    const problems = [...files.keys()].flatMap((path) => {
      const source = program.getSourceFile(path) as ts.SourceFile;
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${relative(ROOT, path)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    });
    expect(problems).toEqual([]);
  }, 60_000);

  it('the option tables name every option and no other', () => {
    const options = namesIn(section(readme, 'Options'), 'option');
    expect(options).toEqual(keysOf('GovernorOptions'));
    expect(namesIn(retryOptions, 'option')).toEqual(keysOf('RetryPolicy'));
    expect(knownOptions()).toEqual(options);
  });

  it('the spec has every signal, reason, class and event', () => {
    const controller = section(spec, 'The controller');
    const signals = namesIn(controller, 'signal').map((signal) => signal.split('(')[0]);
    expect(signals).toEqual(keysOf('ConcurrencyController').filter((key) => key !== 'snapshot'));
    expect(namesIn(controller, 'reason of a change')).toEqual(literalsOf('CapChange', 'reason'));
    expect(namesIn(section(spec, 'Outcomes'), 'class')).toEqual(literalsOf('Classification', 'class'));
    const [events = '', requests = ''] = section(spec, 'Events').split('`onRequest` hears');
    expect(namesIn(events, 'type')).toEqual(literalsOf('GovernorEvent', 'type'));
    expect(namesIn(requests, 'type')).toEqual(literalsOf('RequestEvent', 'type'));
  });
});

/** As the message about an unknown option lists them. */
function knownOptions(): readonly string[] {
  try {
    createGovernor({ nonesuch: 1 } as never);
  } catch (error) {
    return (error as Error).message.split('known are ')[1]!.split(', ').sort();
  }
  throw new Error('an unknown option was accepted');
}

/** A strict program over sources that exist only here, resolving packages as a user's would, but to our sources. */
function programOf(files: ReadonlyMap<string, string>): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    customConditions: ['@tidegate/source'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists.call(host, path);
  host.readFile = (path) => files.get(path) ?? readFile.call(host, path);
  host.getSourceFile = (path, ...rest) => {
    const code = files.get(path);
    return code === undefined ? getSourceFile.call(host, path, ...rest) : ts.createSourceFile(path, code, rest[0]);
  };
  return ts.createProgram([...files.keys()], options, host);
}

describe('the options as the README states them', () => {
  const options = tableOf(section(readme, 'Options'), 'option');
  const retries = tableOf(retryOptions, 'option');

  it('have these defaults', () => {
    const stated = options.map(([name, , value]) => [bare(name), bare(value)]);
    const aimd: Readonly<Record<string, unknown>> = { ...resolveAimdOptions({ key: 'p/m' }), growthLimit: 'initial' };
    const told = new Map<string, unknown>(Object.entries({ ...aimd, ...defaultsByBehaviour() }));
    for (const [name, value] of stated) if (told.has(name!)) expect(value, name).toBe(String(told.get(name!)));
    const others = stated.filter(([name]) => !told.has(name!)).map(([name]) => name);
    expect(others).toEqual(['preset', 'retry', 'controller', 'clock', 'random', 'onError']);
    expect(createGovernor({ preset: 'reference' }).snapshots()).toEqual(createGovernor().snapshots());

    const { initial, growthLimit, cap } = new AimdController({ key: 'p/m' }).snapshot();
    expect([initial, growthLimit, cap]).toEqual([8, 8, 8]);
  });

  it('of retry have these', () => {
    expect(Object.fromEntries(retries.map(([name, , value]) => [bare(name), Number(bare(value))]))).toEqual(
      resolveRetryPolicy(),
    );
  });

  const ranges = [
    ...options.map(([name, , , range]) => [bare(name), range!, { [bare(name)]: Number.NaN }] as const),
    ...retries.map(([name, , , range]) => {
      return [`retry.${bare(name)}`, range!, { retry: { [bare(name)]: Number.NaN } }] as const;
    }),
  ];
  it.each(ranges.filter(([, range]) => range !== '–'))('%s takes %s', (name, range, wrong) => {
    expect(() => createGovernor(wrong as never)).toThrow(
      new RangeError(`${name}: expected ${range}, got NaN (number)`),
    );
  });
});

/** Of the options that no resolved set shows: what a governor without options does. */
function defaultsByBehaviour(): Readonly<Record<string, unknown>> {
  const clock = new ManualClock();
  const governor = createGovernor({ clock });
  const cooldowns: number[] = [];
  governor.onEvent((event) => {
    if (event.type === 'cooldown-clamped') cooldowns.push(event.maxCooldownMs);
  });
  governor.tryAcquire(KEY)?.throttle({ retryAfterMs: 1e9 });
  const { growthLimit, initial } = governor.snapshot(KEY) as BucketSnapshot;

  const otherKey = { provider: 'p', model: 'other' };
  governor.tryAcquire(otherKey)?.throttle({ retryAfterMs: 1_000, scope: 'concurrency' });
  const freezeOn = governor.tryAcquire(otherKey) === undefined ? 'any' : 'rate';

  const pacedKey = { provider: 'p', model: 'paced' };
  governor.tryAcquire(pacedKey)?.learn([{ name: 'requests', counts: 'requests', limit: 1, perMs: 60_000 }]);
  const admitted = [governor.tryAcquire(pacedKey), governor.tryAcquire(pacedKey)];

  const refused: unknown[] = [];
  const admittedAt: number[] = [];
  const waiter = {
    admitted: () => void admittedAt.push(clock.now()),
    refused: (reason: unknown) => void refused.push(reason),
  };
  for (let i = 0; i < 10_000; i++) governor.enqueue(KEY, {}, waiter);
  clock.advance(1e6);
  const [first = Number.NaN, second = Number.NaN] = admittedAt;
  return {
    growthFactor: growthLimit / initial,
    maxCooldownMs: cooldowns[0],
    freezeOn,
    pacing: admitted.includes(undefined) ? 'headers' : 'off',
    resumeStaggerMs: second - first,
    maxQueue: refused.length === 0 ? 'none' : refused,
  };
}

describe('the numbers of the spec', () => {
  it('the worked run is what the code does: write it anew with npm run docs:spec', async () => {
    const script = '../docs/worked-run.mjs';
    const { workedRunTable } = (await import(/* @vite-ignore */ script)) as { workedRunTable(): Promise<string> };
    expect(tableOf(section(spec, 'A worked run'), 'ms')).toEqual(tableOf(await workedRunTable(), 'ms'));
  });

  it('the README tells the same story', () => {
    const caps = tableOf(section(spec, 'A worked run'), 'ms').flatMap(([, , , cap]) => cap!.split(' → ').slice(-1));
    const path = caps.filter((cap, i) => cap !== caps[i - 1]);
    const story = /```text\n(.*?)\n```/.exec(readme)?.[1];
    expect(story).toBe(path.slice(0, 7).join(' → '));
    const told = [...section(readme, 'How it decides').matchAll(/(\d+)? ?→ (\d+)/g)].flatMap(([, from, to]) =>
      from === undefined ? [to] : [from, to],
    );
    expect(told).toEqual(path.slice(0, 7));
  });

  const sequences = tableOf(section(spec, 'The controller'), 'start');
  it.each(sequences)('from %s, %s gives %s', (start, moves, caps) => {
    expect(capsAfter(new AimdController({ key: 'p/m', initial: Number(start) }), moves!).join(' ')).toBe(caps);
  });

  const receivedAt = Date.UTC(2026, 10, 30, 12);
  it.each(tableOf(section(spec, 'Hints'), 'value'))('the hint %s is %s ms', (value, ms) => {
    expect(String(parseRetryAfter(bare(value), { receivedAt }))).toBe(bare(ms));
  });

  const retries = tableOf(section(spec, 'Retry'), 'class');
  it.each(retries)('after %s with %s retries, hint %s and random %s: %s', (cell, made, hint, random, result) => {
    const next = nextRetry({
      policy: {},
      retries: Number(made),
      class: bare(cell) as Classification['class'],
      retryAfterMs: hint === '–' ? null : Number(bare(hint)),
      random: Number(random),
    });
    expect('stop' in next ? next.stop : String(next.delayMs)).toBe(bare(result));
  });

  const outcomes = tableOf(section(spec, 'Outcomes'), 'class').flatMap(([name, , settles, budget, examples]) =>
    examples!.split(', ').map((example) => [example, bare(name), bare(settles), bare(budget)] as const),
  );
  it.each(outcomes)('%s is %s, settles as %s, and is retried on %s', (example, expected, settles, budget) => {
    const [status, code] = example.split(' ');
    const answer = { status: Number(status), ...(code === undefined ? {} : { body: { error: { code } } }) };
    expect(classify(answer).class).toBe(expected);
    expect(settledAs(answer)).toBe(settles);
    if (budget === '–') return;
    const once = { throttle: 0, network: 0, business: 0, [budget]: 1 };
    expect(
      nextRetry({ policy: once, retries: 0, class: classify(answer).class, retryAfterMs: null, random: 0 }),
    ).toEqual({ delayMs: 1_000 });
  });

  it('a hint of more than ten minutes is a used-up quota, a run stalls after twenty', () => {
    const constants = tableOf(section(spec, 'Constants'), 'value').map(([value]) => Number(value!.replace(/\D/g, '')));
    const [horizonMs = 0, stallMs = 0] = constants;
    const hinted = (ms: number) => classify({ status: 429, headers: { 'retry-after': String(ms / 1_000) } }).class;
    expect([hinted(horizonMs), hinted(horizonMs + 1)]).toEqual(['throttle', 'quota_exhausted']);

    const clock = new ManualClock();
    const governor = createGovernor({ clock });
    const run = governor.openRun('review');
    const stalled: number[] = [];
    governor.onEvent((event) => {
      if (event.type === 'run-stalled') stalled.push(event.stalledMs);
    });
    for (const ms of [0, stallMs - 1, 1]) {
      clock.advance(ms);
      governor.tryAcquire(KEY, { run })?.fail();
    }
    expect(stalled).toEqual([stallMs]);
  });
});

/** ∧ = K successes while somebody waits, × = a current-epoch refusal. */
function capsAfter(controller: AimdController, moves: string): readonly number[] {
  controller.waiting(0, 1);
  const { increaseAfterSuccesses } = resolveAimdOptions({ key: 'p/m' });
  return [...moves].map((move) => {
    for (let i = 0; i < (move === '∧' ? increaseAfterSuccesses : 1); i++) {
      const epoch = controller.admitted(0);
      if (move === '∧') controller.succeeded(0, epoch);
      else controller.throttled(0, epoch, 'rate_limited');
    }
    return controller.snapshot().cap;
  });
}

/** The settlement that an answer leads to, as the spec writes it. */
function settledAs(answer: Parameters<typeof classify>[0]): string {
  const governor = createGovernor({ clock: new ManualClock() });
  const words = { succeeded: 'succeed', throttled: 'throttle', failed: 'fail', ended: 'end' } as const;
  let settled = '';
  governor.onRequest((event) => {
    if (event.type !== 'request-settled') return;
    settled = words[event.outcome] + (event.reason === undefined ? '' : `, ${event.reason}`);
  });
  governor.tryAcquire(KEY)?.settle(answer);
  return settled;
}

describe('the cost figures of the README', () => {
  const figures = tableOf(section(readme, 'Cost'), 'figure');

  it('are figures that the benchmarks print', () => {
    const benches = ['peers', 'memory', 'size'].map((name) =>
      readFileSync(join(ROOT, `governor/bench/${name}.mjs`), 'utf8'),
    );
    const words = figures.flatMap(([name]) => name!.split(/ ÷ |: /));
    expect(words.filter((word) => !benches.join('').includes(word))).toEqual([]);
  });

  it('say what a page loads, to a tenth', async () => {
    const script = '../governor/bench/size.mjs';
    const { bench } = (await import(/* @vite-ignore */ script)) as {
      bench(): Promise<readonly { readonly name: string; readonly value: number; readonly unit: string }[]>;
    };
    const parts = tableOf(readFileSync(join(ROOT, 'docs/decisions/012-what-the-bytes-buy.md'), 'utf8'), 'part');
    const rows = await bench();
    expect(rows.length).toBeGreaterThan(15);
    for (const { name, value, unit } of rows) {
      const stated = [...figures, ...parts].find(([figure]) => figure === name.trim())?.[1] ?? '';
      expect(stated, name).toMatch(new RegExp(` ${unit}$`));
      expect(Math.abs(Number.parseFloat(stated) / value - 1), `${name} is ${value.toFixed(2)} ${unit}`).toBeLessThan(
        0.1,
      );
    }
  });
});

describe('the pages', () => {
  it('the API reference is current (npm run docs:api), and every exported name has a docstring', () => {
    execFileSync(process.execPath, ['docs/make-api.mjs', '--check'], { cwd: ROOT, stdio: 'pipe' });
    const api = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
    const named = api.split('\n### ').filter((group) => !group.startsWith('Types that are only reached'));
    expect(named.flatMap((group) => [...group.matchAll(/^#### (\S+)\n\n```/gm)].map(([, name]) => name))).toEqual([]);
  });

  it.each(PAGES)('%s points to nothing that is not there', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
    expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it('whoever has the package alone finds all that its README points to: it names files of the repository in words', () => {
    const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
    expect(links.filter((link) => !/^(?:https?:|#)/.test(link))).toEqual([]);
    const named = [...readme.matchAll(/`((?:docs|governor)\/[\w./-]+)`/g)].map(([, path]) => path as string);
    expect(named).toContain('docs/spec.md');
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('name no npm script that is not there', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const pages = PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
    const named = [...pages.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script as string);
    expect(named).toContain('docs:api');
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('the spec says of every suite of governor and sim what it pins: add a row to its last table', () => {
    const suites = ['governor/test', 'sim/test'].flatMap(suitesBelow).sort();
    expect(namesIn(section(spec, 'What the suites pin'), 'suite')).toEqual(suites);
  });

  it('both pages name every error that is exported', () => {
    const door = readFileSync(join(ROOT, 'governor/src/index.ts'), 'utf8');
    const exported = [...(door.match(/\b[A-Z]\w+Error\b/g) ?? []), 'RangeError', 'signal.reason'].sort();
    expect(namesIn(section(spec, 'Errors'), 'error')).toEqual(exported);
    expect(exported.filter((error) => !section(readme, 'Errors').includes(`\`${error}\``))).toEqual([]);
  });
});

function suitesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(folder, path).replaceAll('\\', '/'));
}

function leadsSomewhere(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), path);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsIn(readFileSync(target, 'utf8')).includes(anchor);
}
