/**
 * The nearest valid name, for the message about a name that is not valid.
 */

import { distance } from 'fastest-levenshtein';
import { shorten } from './echo.js';

/** Longer names are nobody's typing error, and comparing them costs time. */
const longestName = 100;

/** More names than this are no help in a message. */
const mostListed = 20;

/** The most similar candidate, or undefined when none is similar: a third of the name may differ, at least two letters. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > longestName) continue;
    const d = distance(name.toLowerCase(), candidate.toLowerCase());
    if (d < bestDistance && d < candidate.length) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

/** The end of a message about an unknown name: the nearest one, or nothing. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates);
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
}

/** The same; without a near one, those that exist. `listed` introduces them: "the fields here are". */
export function suggestion(name: string, candidates: readonly string[], listed: string): string {
  const hint = didYouMean(name, candidates);
  if (hint !== '' || candidates.length === 0 || candidates.length > mostListed) return hint;
  return `; ${listed} ${candidates.map((candidate) => shorten(candidate)).join(', ')}`;
}
