/** The command that makes a run again, ready to be pasted into a shell. */

export interface Replayed {
  readonly file: string;
  readonly seed: number;
  readonly set: readonly string[];
  readonly controller?: string;
  readonly loopback: boolean;
  readonly speed?: number;
}

export function replayCommand({ file, seed, set, controller, loopback, speed }: Replayed): string {
  const options = [
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...(controller === undefined ? [] : ['--controller', controller]),
    ...(loopback ? ['--loopback'] : []),
    ...(speed === undefined ? [] : ['--speed', String(speed)]),
  ];
  return ['npx', 'sim', 'run', file, '--seed', String(seed), ...options].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
