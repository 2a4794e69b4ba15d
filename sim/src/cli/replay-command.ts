/** The command that makes a run again, ready to be pasted into a shell. */

export interface Replayed {
  readonly file: string;
  readonly seed: number;
  readonly set: readonly string[];
  readonly controller: string | undefined;
}

export function replayCommand({ file, seed, set, controller }: Replayed): string {
  const options = [
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...(controller === undefined ? [] : ['--controller', controller]),
  ];
  return ['npx', 'sim', 'run', file, '--seed', String(seed), ...options].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
