/**
 * Runs one property and, when it fails, says how to see exactly that failure again. Reads three variables of the
 * environment: `TIDEGATE_SEED` and `TIDEGATE_PATH` replay a failure, `TIDEGATE_RUNS` multiplies the number of runs.
 */

import fc from 'fast-check';

/** What a failure needs to say how to see it again. */
export interface ReplayOptions {
  /** As in the title of the test that runs the property: the printed command selects it by this. */
  readonly name: string;
  /** The test file, from where its tests are started; omitted, the command looks through all of them. */
  readonly file?: string;
  /** Scripts per check, before `TIDEGATE_RUNS` multiplies them. Default 100. */
  readonly runs?: number;
}

/** Runs a property. @throws Error with the name, the replay command, the counterexample and what went wrong. */
export function checkProperty<Ts>(property: fc.IProperty<Ts>, options: ReplayOptions): void {
  explain(fc.check(property, parametersOf<Ts>(options)), options);
}

/** The same for properties that wait. Rejects where `checkProperty` throws. */
export async function checkAsyncProperty<Ts>(property: fc.IAsyncProperty<Ts>, options: ReplayOptions): Promise<void> {
  explain(await fc.check(property, parametersOf<Ts>(options)), options);
}

function parametersOf<Ts>({ runs = 100 }: ReplayOptions): fc.Parameters<Ts> {
  const seed = environment('TIDEGATE_SEED');
  const path = environment('TIDEGATE_PATH');
  const factor = Number(environment('TIDEGATE_RUNS') ?? 1);
  if (!(factor > 0 && factor < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`TIDEGATE_RUNS: expected a finite number above 0, got ${environment('TIDEGATE_RUNS')}`);
  }
  return {
    numRuns: Math.max(1, Math.round(runs * factor)),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    // A path leads to a counterexample that is small already.
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  };
}

function explain<Ts>(details: fc.RunDetails<Ts>, { name, file }: ReplayOptions): void {
  if (!details.failed) return;
  const variables = `TIDEGATE_SEED=${details.seed} TIDEGATE_PATH=${details.counterexamplePath}`;
  const replay = ['npx vitest run', ...(file === undefined ? [] : [file]), '-t', JSON.stringify(name)].join(' ');
  const message = `${name}\nreplay: ${variables} ${replay}\n${fc.defaultReportMessage(details)}`;
  throw new Error(message, { cause: details.errorInstance });
}

/** Also where there is no process: then nothing is set. */
function environment(variable: string): string | undefined {
  const host = globalThis as { readonly process?: { readonly env: Readonly<Record<string, string | undefined>> } };
  const value = host.process?.env[variable];
  return value === '' ? undefined : value;
}
