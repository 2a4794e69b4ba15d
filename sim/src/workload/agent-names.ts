/** The subagents of a run by name; what a row does not state is drawn. */

import type { RandomStream } from '../kernel/random.js';
import type { AgentRow, AgentsSettings } from '../scenario/scenario.js';

/** Enough that a million names rarely meet; those that do are drawn again. */
const RANDOM_NAMES = 2 ** 32;

/** @param names where `{random}` comes from: another run, another stream, other names. */
export function agentRows({ population }: AgentsSettings, names: RandomStream): readonly AgentRow[] {
  if (population.kind === 'rows') return population.rows;
  const { count, name } = population;
  if (!name.includes('{random}')) return Array.from({ length: count }, (_, i) => ({ name: numbered(name, i) }));
  const taken = new Set<string>();
  return Array.from({ length: count }, (_, i) => {
    let unique: string;
    do {
      unique = numbered(name, i).replaceAll('{random}', randomName(names));
    } while (taken.has(unique));
    taken.add(unique);
    return { name: unique };
  });
}

function numbered(name: string, index: number): string {
  return name.replaceAll('{n}', `${index + 1}`);
}

function randomName(names: RandomStream): string {
  return Math.floor(names.next() * RANDOM_NAMES)
    .toString(16)
    .padStart(8, '0');
}
