/**
 * The options of the reference controller: defaults, ranges and the checks at the door. Each default has its only home
 * here. A bad value is refused with a RangeError that names the option, the value and what is allowed.
 */

/** What the reference controller of a key is made with. */
export interface AimdOptions {
  /** The key's text, `provider/model`. */
  readonly key: string;
  /** Requests at once: where the cap starts and where an idle reset returns to. Integer ≥ `floor`; default 8. */
  readonly initial?: number;
  /** How far the cap may climb by itself. Integer ≥ 1; a value below `initial` counts as `initial`, the default. */
  readonly growthLimit?: number;
  /** A cut sets the cap to `floor(cap × decreaseFactor)`. Between 0 and 1, both excluded; default 0.75. */
  readonly decreaseFactor?: number;
  /** Added to the cap by a raise. Integer ≥ 1; default 1. */
  readonly increaseStep?: number;
  /** Consecutive current-epoch successes that prove a cap. Integer ≥ 1; default 4. */
  readonly increaseAfterSuccesses?: number;
  /** The cap never falls below this, so that a probe always remains. Integer ≥ 1; default 1. */
  readonly floor?: number;
  /** Milliseconds without a request after which everything learned is forgotten. Above 0; default 300 000. */
  readonly idleResetMs?: number;
  /** Whether a proven level is remembered and returned to after a failed probe. Default true. */
  readonly rememberGood?: boolean;
  /**
   * A level that was probed in vain is probed again after twice, four times, … up to this many times the successes; a
   * success at that level, a lower wall, an idle reset or a seed begins anew. Integer ≥ 1; default 1, never backs off.
   */
  readonly probeBackoffMax?: number;
  /**
   * How the cap climbs after a cut: `additive`, a step per K successes; `slow-start`, a step per success up to the last
   * proven level, unless the next level was refused before. Default `additive`.
   */
  readonly recovery?: 'additive' | 'slow-start';
  /**
   * Successes that a raise to a level takes that was refused before: K (`streak`), or as many as the cap is, and no fewer
   * than K (`window`). Default `streak`.
   */
  readonly growth?: 'streak' | 'window';
  /**
   * Whether a time to the first token that grows cuts the cap, with reason `provider_overloaded`: for servers that queue
   * and never refuse. Needs `firstTokenMs` in the samples of successes. Default false.
   */
  readonly latencySignal?: boolean;
}

/** @throws RangeError `option: expected …, got …`. */
export function refuseOption(option: string, value: unknown, allowed: string): never {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : textOf(value);
  throw new RangeError(`${option}: expected ${allowed}, got ${shown} (${typeof value})`);
}

/** Also of what has no text of its own. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Options given as something else than an object are a mistake that would read as the defaults. */
export function objectOption<T extends object>(option: string, value: T): T {
  if (typeof value !== 'object' || value === null) refuseOption(option, value, 'an object');
  return value;
}

/** An integer ≥ `least`, or `fallback` when omitted. */
export function integerOption(option: string, value: unknown, fallback: number, least: number): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || (value as number) < least) refuseOption(option, value, `an integer ≥ ${least}`);
  return value as number;
}

/** A finite number that `accepts`, or `fallback` when omitted. */
export function numberOption(
  option: string,
  value: unknown,
  fallback: number,
  allowed: string,
  accepts: (n: number) => boolean,
): number {
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !Number.isFinite(value) || !accepts(value)) refuseOption(option, value, allowed);
  return value;
}

export function booleanOption(option: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') refuseOption(option, value, 'true or false');
  return value;
}

/** One of the words, or the first when omitted. */
export function choiceOption<W extends string>(option: string, value: unknown, words: readonly [W, ...W[]]): W {
  if (value === undefined) return words[0];
  if (words.includes(value as W)) return value as W;
  const quoted = words.map((word) => `'${word}'`);
  return refuseOption(option, value, `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`);
}

/** All options of the reference controller, defaults filled in. */
export type ResolvedAimdOptions = Required<AimdOptions>;

/** Fills in the defaults. @throws RangeError on the first bad option. */
export function resolveAimdOptions(options: AimdOptions): ResolvedAimdOptions {
  if (typeof options.key !== 'string' || options.key === '') refuseOption('key', options.key, 'a non-empty string');
  const floor = integerOption('floor', options.floor, 1, 1);
  const initial = integerOption('initial', options.initial, 8, 1);
  if (initial < floor) refuseOption('initial', initial, `an integer ≥ floor (${floor})`);
  return {
    key: options.key,
    initial,
    growthLimit: Math.max(initial, integerOption('growthLimit', options.growthLimit, initial, 1)),
    decreaseFactor: numberOption(
      'decreaseFactor',
      options.decreaseFactor,
      0.75,
      'a number between 0 and 1, both excluded',
      (n) => n > 0 && n < 1,
    ),
    increaseStep: integerOption('increaseStep', options.increaseStep, 1, 1),
    increaseAfterSuccesses: integerOption('increaseAfterSuccesses', options.increaseAfterSuccesses, 4, 1),
    floor,
    idleResetMs: numberOption('idleResetMs', options.idleResetMs, 300_000, 'milliseconds above 0', (n) => n > 0),
    rememberGood: booleanOption('rememberGood', options.rememberGood, true),
    probeBackoffMax: integerOption('probeBackoffMax', options.probeBackoffMax, 1, 1),
    recovery: choiceOption('recovery', options.recovery, ['additive', 'slow-start']),
    growth: choiceOption('growth', options.growth, ['streak', 'window']),
    latencySignal: booleanOption('latencySignal', options.latencySignal, false),
  };
}
