/**
 * The notation of a place in a scenario or a summary, as `--set`, `timeline` and `expect` write it: `a.b[0].c`, names
 * with dots or slashes in brackets: `keys["acme/large"].cap`. Knows nothing of what the places mean.
 */

/** A name or an index per step. */
export type Path = readonly (string | number)[];

export type PathReading =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'problem'; readonly message: string };

/** One step: a bare name; an index or a quoted or unquoted name in brackets (a shell eats the quotes). */
const step =
  /(?<dot>\.?)(?<name>[^.[\]"'=\s]+)|\[(?:(?<index>\d+)|"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)'|(?<bare>[^\]"']+))\]/y;

const longestText = 1000;

/** Reads the notation. Throws nothing: a problem says where the reading stopped. */
export function parsePath(text: string): PathReading {
  const path: (string | number)[] = [];
  if (text.length > longestText) return { kind: 'problem', message: `a path has at most ${longestText} characters` };
  let offset = 0;
  while (offset < text.length) {
    step.lastIndex = offset;
    const groups = step.exec(text)?.groups;
    const value = groups === undefined ? undefined : stepValue(groups);
    const wantsDot = offset > 0;
    if (
      groups === undefined ||
      value === undefined ||
      (groups.name !== undefined && (groups.dot === '.') !== wantsDot)
    ) {
      return { kind: 'problem', message: `cannot be read at character ${offset + 1}; ${notation}` };
    }
    path.push(value);
    offset = step.lastIndex;
  }
  if (path.length === 0) return { kind: 'problem', message: `is empty; ${notation}` };
  return { kind: 'path', path };
}

const notation = 'a path is written a.b[0].c, and a name with dots or slashes as ["acme/large"]';

function stepValue(groups: Record<string, string | undefined>): string | number | undefined {
  if (groups.index !== undefined) return Number(groups.index);
  if (groups.double !== undefined) return unquote(groups.double);
  return groups.name ?? groups.single ?? groups.bare;
}

function unquote(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

/** Writes a path in the same notation. */
export function formatPath(path: Path): string {
  return path
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\w$-]+$/.test(part)) return `[${JSON.stringify(part)}]`;
      return i === 0 ? part : `.${part}`;
    })
    .join('');
}

/** Whether `path` is `ancestor` or lies within it. */
export function isWithin(path: Path, ancestor: Path): boolean {
  return ancestor.length <= path.length && ancestor.every((part, i) => String(part) === String(path[i]));
}
