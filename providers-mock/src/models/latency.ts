/**
 * How long an answer takes under load, from values that the caller has drawn. Pure arithmetic; draws nothing.
 */

export interface LoadSpec {
  /** Added per further request in flight; ≥ 0. */
  readonly slope: number;
  /** In flight, a whole number ≥ 0, above which the time grows by powers; null = no knee. */
  readonly kneeStart: number | null;
  /** The factor per request above the knee; ≥ 1. */
  readonly kneeBase: number;
}

/**
 * One answer's draws. `perInputTokenMs` and `inputTokens` are added to the first token's time, where given;
 * `perOutputTokenMs` and `outputTokens` make up what follows it.
 */
export interface TokenTimes {
  readonly firstTokenMs: number;
  readonly perInputTokenMs?: number;
  readonly inputTokens?: number;
  readonly perOutputTokenMs: number;
  readonly outputTokens: number;
}

/**
 * 1 + slope·(n − 1) + (kneeBase^max(0, n − kneeStart) − 1), where n = `inFlight` and the last term is left out without a
 * knee.
 *
 * @param inFlight this request included; ≥ 1.
 * @throws RangeError naming the option, its value and what is allowed.
 */
export function loadFactor({ slope, kneeStart, kneeBase }: LoadSpec, inFlight: number): number {
  check('inFlight', inFlight, Number.isSafeInteger(inFlight) && inFlight >= 1, 'a whole number of at least 1');
  check('slope', slope, Number.isFinite(slope) && slope >= 0, 'a finite number of at least 0');
  const linear = 1 + slope * (inFlight - 1);
  if (kneeStart === null) return linear;
  check('kneeStart', kneeStart, Number.isSafeInteger(kneeStart) && kneeStart >= 0, 'a whole number of at least 0');
  check('kneeBase', kneeBase, Number.isFinite(kneeBase) && kneeBase >= 1, 'a finite number of at least 1');
  return linear + kneeBase ** Math.max(0, inFlight - kneeStart) - 1;
}

/** Of the answer's first token, in ms without load: first token + per input token × input tokens. */
export function promptMs({ firstTokenMs, perInputTokenMs = 0, inputTokens = 0 }: TokenTimes): number {
  return firstTokenMs + perInputTokenMs * inputTokens;
}

/** (time to the first token + per output token × output tokens) × `factor`, in ms, as `underLoad` rounds it. */
export function serviceMs(times: TokenTimes, factor: number): number {
  return underLoad(promptMs(times) + times.perOutputTokenMs * times.outputTokens, factor);
}

/** An answer that takes 30 years never comes; a power of the load may ask for more than a number holds. */
const LONGEST_MS = 1e12;

/**
 * `ms` × `factor` to the nearest microsecond: the last bit of a power may differ between engines, and must not reach a
 * trace.
 *
 * @throws RangeError when the product is below 0.
 */
export function underLoad(ms: number, factor: number): number {
  if (ms === 0) return 0;
  const loadedMs = Math.min(LONGEST_MS, Math.round(ms * factor * 1000) / 1000);
  check('service time under load', loadedMs, loadedMs >= 0, 'at least 0');
  return loadedMs;
}

function check(name: string, value: number, isAllowed: boolean, allowed: string): void {
  if (!isAllowed) throw new RangeError(`${name} must be ${allowed}, got ${value}`);
}
