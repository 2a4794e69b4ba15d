/** The command that makes a run again, ready to be pasted into a shell. */

export interface Replayed {
  readonly file: string;
  readonly seed: number;
  readonly set: readonly string[];
  readonly controller?: string;
  readonly loopback: boolean;
  readonly speed?: number;
  readonly live: boolean;
  readonly baseUrl?: string;
  readonly model?: string;
  readonly wire?: string;
}

export function replayCommand({ file, seed, set, controller, ...mode }: Replayed): string {
  const options = [
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...(controller === undefined ? [] : ['--controller', controller]),
    ...modeOf(mode),
  ];
  return ['npx', 'sim', 'run', file, '--seed', String(seed), ...options].map(quoted).join(' ');
}

/** Without what may be a secret of the environment: who runs it again gives it again. */
function modeOf({ loopback, speed, live, baseUrl, model, wire }: Partial<Replayed>): readonly string[] {
  const option = (name: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [name, String(value)];
  if (live) return ['--live', ...option('--base-url', baseUrl), ...option('--model', model), ...option('--wire', wire)];
  return [...(loopback ? ['--loopback'] : []), ...option('--speed', speed)];
}

/** One word of a shell command. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
