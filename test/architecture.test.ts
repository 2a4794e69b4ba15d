/**
 * The house enforces itself: who may import whom, no cycles, no ambient clock or randomness, no drawers, and a reason for
 * each dependency. A failure names the file and the remedy.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Per package: its rooms from the outermost to the innermost. A room imports from itself and from those after it. */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  governor: [
    ['index', 'controllers', 'testing', 'fetch', 'undici', 'ai-sdk', 'telemetry'],
    ['adapters'],
    ['gate'],
    ['core'],
  ],
  'providers-mock': [['index', 'server', 'msw'], ['adapters'], ['profiles'], ['wire'], ['models']],
  reports: [['index'], ['render-html', 'render-png', 'render-markdown'], ['page-script'], ['charts']],
  sim: [
    ['index', 'cli'],
    ['calibration'],
    ['results'],
    ['run'],
    ['baselines'],
    ['workload'],
    ['transport'],
    ['scenario'],
    ['trace'],
    ['kernel'],
  ],
};

/** Packages of the house that a package may import, through their public entry points. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  governor: [],
  'providers-mock': [],
  reports: [],
  sim: ['governor', 'providers-mock', 'reports'],
};

/** The only files that may touch a real clock, timer or random source, and why. */
const AMBIENT_ALLOWED: Readonly<Record<string, string>> = {
  'governor/src/gate/clock.ts': 'the system clock',
  'governor/src/gate/governor.ts': 'the default of the option `random`',
  'providers-mock/src/adapters/wall-clock.ts': 'the clock of the mock served for real',
  'sim/src/transport/wall-time.ts': 'real time at a speed, for a run over HTTP',
  'sim/src/transport/world.ts': 'a turn of the event loop between slices, so that Ctrl-C is heard',
  'sim/src/cli/progress.ts': 'progress on stderr is about real seconds',
  'sim/src/cli/study-progress.ts': 'how long a study takes and will take, on stderr',
};

const AMBIENT = /\b(Date\.now|performance\.now|Math\.random|setTimeout|setInterval|setImmediate)\b|new Date\(\)/;
const DRAWERS = /(^|\/)(utils?|helpers?|common|types|misc|shared)(\.ts|\/)/;

interface Source {
  /** `package/src/room/file.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:])\/\/.*$/gm, '$1');
}

function sourcesOf(packageName: string): readonly Source[] {
  return filesBelow(join(ROOT, packageName, 'src')).map((path) => {
    const text = withoutComments(readFileSync(path, 'utf8'));
    const imports = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);
    return { path: relative(ROOT, path), text, imports };
  });
}

const packages = Object.keys(ROOMS);
const sources = packages.flatMap(sourcesOf);

/** The file that a relative import names. */
function resolved(source: Source, specifier: string): string {
  return normalize(join(dirname(source.path), specifier)).replace(/\.js$/, '.ts');
}

/** The first folder below `src`, or the file's own name at the top. */
function roomOf(path: string): string {
  return (path.split('/')[2] as string).replace(/\.ts$/, '');
}

describe('the import rules', () => {
  it.each(packages)('%s imports inwards only', (packageName) => {
    const rooms = ROOMS[packageName] as readonly (readonly string[])[];
    const depth = (path: string): number => {
      const index = rooms.findIndex((row) => row.includes(roomOf(path)));
      // A file or folder that the table does not name is innermost: a leaf that everyone may use and that uses no room.
      return index === -1 ? rooms.length : index;
    };
    const wrong = sources
      .filter(({ path }) => path.startsWith(`${packageName}/`))
      .flatMap((source) =>
        source.imports
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => resolved(source, specifier))
          .filter((target) => depth(target) < depth(source.path))
          .map((target) => `${source.path} imports ${target}: move what it needs inwards`),
      );
    expect(wrong).toEqual([]);
  });

  it.each(packages)('%s reaches its neighbours by their public doors only', (packageName) => {
    const allowed = NEIGHBOURS[packageName] as readonly string[];
    const wrong = sources
      .filter(({ path }) => path.startsWith(`${packageName}/`))
      .flatMap(({ path, imports }) =>
        imports
          .filter((specifier) => specifier.startsWith('@tidegate/'))
          .filter((specifier) => !allowed.includes(specifier.split('/')[1] as string) || specifier.includes('/src/'))
          .map(
            (specifier) => `${path} imports ${specifier}: only ${allowed.join(', ') || 'none'} may be imported here`,
          ),
      );
    expect(wrong).toEqual([]);
  });

  it('core and gate of the governor import nothing from outside', () => {
    const wrong = sources
      .filter(({ path }) => /^governor\/src\/(core|gate)\//.test(path))
      .flatMap(({ path, imports }) => imports.filter((s) => !s.startsWith('.')).map((s) => `${path} imports ${s}`));
    expect(wrong).toEqual([]);
  });

  it('models and wire of the mock provider import nothing from outside: they run wherever their adapters do', () => {
    const wrong = sources
      .filter(({ path }) => /^providers-mock\/src\/(models|wire|profiles)\//.test(path))
      .flatMap(({ path, imports }) => imports.filter((s) => !s.startsWith('.')).map((s) => `${path} imports ${s}`));
    expect(wrong).toEqual([]);
  });

  it('there are no cycles, types included', () => {
    const targets = new Map(
      sources.map((source) => [
        source.path,
        source.imports.filter((s) => s.startsWith('.')).map((s) => resolved(source, s)),
      ]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (done.has(path) || trail.includes(path)) return;
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const path of targets.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

describe('the rooms', () => {
  it.each(packages)(
    'of %s that are folders are in the table or leaves, and the table names none that is gone',
    (packageName) => {
      const there = new Set(
        sources.filter(({ path }) => path.startsWith(`${packageName}/`)).map(({ path }) => roomOf(path)),
      );
      const listed = (ROOMS[packageName] as readonly (readonly string[])[]).flat();
      expect(listed.filter((room) => !there.has(room))).toEqual([]);
      const unlisted = [...new Set(sources.map(({ path }) => path))]
        .filter((path) => path.startsWith(`${packageName}/`) && path.split('/').length > 3)
        .map(roomOf)
        .filter((room) => !listed.includes(room));
      expect(unlisted).toEqual([]);
    },
  );
});

describe('the bans', () => {
  it('no ambient clock, timer or randomness outside the named files', () => {
    const wrong = sources
      .filter(({ path, text }) => !(path in AMBIENT_ALLOWED) && AMBIENT.test(text))
      .map(
        ({ path, text }) =>
          `${path} uses ${AMBIENT.exec(text)?.[0]}: take a Clock, a Scheduler or a RandomStream instead`,
      );
    expect(wrong).toEqual([]);
  });

  it('the named exceptions still need to be exceptions', () => {
    const paths = new Set(sources.filter(({ text }) => AMBIENT.test(text)).map(({ path }) => path));
    expect(Object.keys(AMBIENT_ALLOWED).filter((path) => !paths.has(path))).toEqual([]);
  });

  it('no drawers: a file is named for its one idea', () => {
    expect(sources.map(({ path }) => path).filter((path) => DRAWERS.test(path))).toEqual([]);
  });

  it('no file grows past what one can hold in the head', () => {
    const long = sources
      .map(({ path }) => ({ path, lines: readFileSync(join(ROOT, path), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 450);
    expect(long).toEqual([]);
  });
});

describe('dependencies', () => {
  const manifests = ['.', ...packages].map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
    },
  }));

  it('the governor has none', () => {
    expect(manifests.find(({ folder }) => folder === 'governor')?.manifest.dependencies ?? {}).toEqual({});
  });

  it('each is pinned and has its reason in docs/architecture.md', () => {
    const reasons = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const wrong = manifests.flatMap(({ folder, manifest }) =>
      Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
        .filter(([name]) => !name.startsWith('@tidegate/'))
        .filter(([name, version]) => !/^\d/.test(version) || !reasons.includes(`\`${name}\``))
        .map(([name, version]) => `${folder}: ${name} ${version}`),
    );
    expect(wrong).toEqual([]);
  });
});
