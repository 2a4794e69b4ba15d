/**
 * The key of an endpoint: from the environment, or from a file that nobody else can read. Never from the command line,
 * where every process of the machine sees it; never repeated in a message.
 */

import { readFileSync, statSync } from 'node:fs';

export type KeyReading =
  | { readonly kind: 'key'; readonly key: string; readonly from: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly message: string };

export interface KeySources {
  readonly file: string | undefined;
  /** In the order in which they are looked at. */
  readonly variables: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function readKey({ file, variables, env }: KeySources): KeyReading {
  if (file !== undefined) return keyInFile(file);
  const name = variables.find((each) => (env[each] ?? '') !== '');
  return name === undefined ? { kind: 'none' } : checked(env[name] as string, `$${name}`);
}

/** Read and written by its owner: anything more lets others see it. */
const OTHERS = 0o077;
const LARGEST_BYTES = 4096;

function keyInFile(path: string): KeyReading {
  try {
    const { mode, size } = statSync(path);
    if ((mode & 0o170000) !== 0o100000)
      return problem(`${path}: is no regular file; give a file that holds the key alone`);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, '0');
      return problem(`${path}: others may read it (mode ${octal}); make it yours alone: chmod 600 ${path}`);
    }
    if (size > LARGEST_BYTES) return problem(`${path}: is too large for a key; give a file that holds the key alone`);
    return checked(readFileSync(path, 'utf8').trim(), path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return problem(`${path}: cannot be read (${code}); give a file that holds the key alone`);
  }
}

function checked(key: string, from: string): KeyReading {
  if (key === '') return problem(`${from}: holds no key`);
  if (!/^[\x21-\x7e]+$/.test(key)) return problem(`${from}: is no key: it holds spaces, line breaks or other signs`);
  if (/^["']|["']$/.test(key)) return problem(`${from}: the key is in quotes; leave them out`);
  return { kind: 'key', key, from };
}

function problem(message: string): KeyReading {
  return { kind: 'problem', message };
}
