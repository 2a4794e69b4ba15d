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
  readonly stream?: boolean;
  readonly maxTokensField?: string;
  readonly key?: boolean;
  readonly maxRequests?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxTime?: number;
  readonly maxErrors?: number;
}

export function replayCommand({ file, seed, set, controller, ...mode }: Replayed): string {
  const options = [
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...(controller === undefined ? [] : ['--controller', controller]),
    ...modeOf(mode),
  ];
  return ['npx', 'sim', 'run', file, '--seed', String(seed), ...options].map(quoted).join(' ');
}

/**
 * Without what may be a secret of the environment, and without a consent that was given to another run: who runs it again
 * gives them again. With the budgets: nobody wants the run again without them.
 */
function modeOf({ loopback, speed, live, ...asked }: Partial<Replayed>): readonly string[] {
  const option = (name: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [name, String(value)];
  if (live) {
    return [
      '--live',
      ...option('--base-url', asked.baseUrl),
      ...option('--model', asked.model),
      ...option('--wire', asked.wire),
      ...(asked.stream === false ? ['--no-stream'] : []),
      ...option('--max-tokens-field', asked.maxTokensField),
      ...(asked.key === false ? ['--no-key'] : []),
      ...option('--max-requests', asked.maxRequests),
      ...option('--max-tokens', asked.maxTokens),
      ...option('--max-cost', asked.maxCost),
      ...option('--max-time', asked.maxTime === undefined ? undefined : `${asked.maxTime}ms`),
      ...option('--max-errors', asked.maxErrors),
    ];
  }
  return [...(loopback ? ['--loopback'] : []), ...option('--speed', speed)];
}

/** One word of a shell command. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
