/**
 * What an agent sends along with each request: a fixed layer, a summary of older turns, and the turns since, with the
 * results of their tools. Grows with each turn until the older ones are summarised. Pure; memory is that of the turns that
 * a summary leaves as they are.
 */

import type { ContextSettings } from '../scenario/task-settings.js';

/** The input of one request, by kind, in tokens. */
export interface Prompt {
  readonly fixed: number;
  readonly summary: number;
  /** What was said in earlier turns, on both sides. */
  readonly turns: number;
  /** Results of tools. */
  readonly results: number;
  /** What this request brings along itself. */
  readonly fresh: number;
}

export function sizeOf({ fixed, summary, turns, results, fresh }: Prompt): number {
  return fixed + summary + turns + results + fresh;
}

interface Turn {
  readonly said: number;
  results: number;
}

/** A way to remember what was said: all of it, or nothing but the latest results. */
export interface Memory {
  prompt(fresh: number): Prompt;
  /** A request was answered. */
  said(fresh: number, output: number): void;
  /** Its tools have returned. */
  returned(results: number): void;
}

export class Conversation implements Memory {
  readonly settings: ContextSettings;
  /** Beyond those that a summary keeps. */
  #older = { said: 0, results: 0, turns: 0 };
  /** The latest, oldest first. */
  readonly #kept: Turn[] = [];
  #summary = 0;

  constructor(settings: ContextSettings) {
    this.settings = settings;
  }

  prompt(fresh: number): Prompt {
    let { said, results } = this.#older;
    for (const turn of this.#kept) {
      said += turn.said;
      results += turn.results;
    }
    return { fixed: this.settings.fixed, summary: this.#summary, turns: said, results, fresh };
  }

  said(fresh: number, output: number): void {
    this.#kept.push({ said: fresh + output, results: 0 });
    if (this.#kept.length > this.settings.keepTurns) this.#age(this.#kept.shift() as Turn);
  }

  /** Without turns that are kept the results go with the older ones at once. */
  returned(results: number): void {
    (this.#kept.at(-1) ?? this.#older).results += results;
  }

  #age({ said, results }: Turn): void {
    this.#older.said += said;
    this.#older.results += results;
    this.#older.turns++;
  }

  /** Whether older turns are to be summarised before a request of this size is made. */
  mustCompact(size: number): boolean {
    return this.#older.turns > 0 && size > this.settings.compactAt * this.settings.window;
  }

  fits(size: number): boolean {
    return size <= this.settings.window;
  }

  /** The summary takes the place of the older turns and of the summary before. */
  compacted(): void {
    this.#older = { said: 0, results: 0, turns: 0 };
    this.#summary = this.settings.summary;
  }
}

/** Without a context: the results go into the next request and are gone. */
export class LatestResults implements Memory {
  #results = 0;

  prompt(fresh: number): Prompt {
    return { fixed: 0, summary: 0, turns: 0, results: this.#results, fresh };
  }

  said(): void {
    this.#results = 0;
  }

  returned(results: number): void {
    this.#results += results;
  }
}
