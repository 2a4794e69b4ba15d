/**
 * Tells work from a loop when many events share one instant. Any number of events may be scheduled for an instant in
 * advance; what is bounded is what they cause within it. Depth 0 is an event scheduled from an earlier instant, depth
 * n + 1 one that an event of depth n scheduled for its own instant. The guard sees only events of depth 2 and more: in
 * a simulation at work nearly every event is of depth 0 or 1 and pays nothing.
 */

/** Virtual time does not advance any more: the events of one instant keep causing new ones within it. */
export class TimeStandsStillError extends Error {
  override readonly name = 'TimeStandsStillError';
  /** The instant, in ms. */
  readonly atMs: number;
  /** Depth of the longest chain: events each scheduled, at this instant, by the one before. */
  readonly chainLength: number;
  /** Names of the last distinct event functions, the latest last. */
  readonly functionNames: readonly string[];
  /** The message without its advice, which a caller that offers no such option gives in its own words. */
  readonly circle: string;

  constructor(facts: {
    readonly atMs: number;
    readonly chainLength: number;
    readonly functionNames: readonly string[];
    readonly maxChainPerInstant: number;
  }) {
    const { atMs, chainLength, functionNames, maxChainPerInstant } = facts;
    const circle =
      `virtual time stands still at ${atMs} ms: events keep causing events at the same instant (a chain of ` +
      `${chainLength} so far, through ${functionNames.join(', ')})`;
    super(
      `${circle}. Give at least one step of this circle a duration above 0 ms; if the chain is meant and ends, raise ` +
        `maxChainPerInstant (now ${maxChainPerInstant}).`,
    );
    this.circle = circle;
    this.atMs = atMs;
    this.chainLength = chainLength;
    this.functionNames = functionNames;
  }
}

// Enough to show a circle of a few steps even when other chains run beside it.
const LAST_EVENTS = 64;
const NAMES_SHOWN = 8;

interface Instant {
  readonly nowUs: number;
  /** Events executed at this instant before the one at hand. */
  readonly executed: number;
}

export class InstantGuard {
  readonly #maxChain: number;
  #atUs = -1;
  /** Events of depth 2 and more at `#atUs`. */
  #caused = 0;
  #longest = 0;
  readonly #lastNames: string[] = [];

  constructor(maxChainPerInstant: number) {
    this.#maxChain = maxChainPerInstant;
  }

  /**
   * Called before an event of depth 2 or more runs. Throws TimeStandsStillError when its chain is longer than allowed,
   * or when the instant has seen more such events than one longest chain for each event of depth 0 and 1: events that
   * each cause two exhaust memory long before any single chain of theirs is long.
   */
  check(functionName: string, depth: number, instant: Instant): void {
    if (instant.nowUs !== this.#atUs) this.#enter(instant.nowUs);
    const allowed = this.#maxChain * (instant.executed - this.#caused);
    this.#caused += 1;
    this.#longest = Math.max(this.#longest, depth);
    const left = Math.min(this.#maxChain - depth, allowed - this.#caused);
    if (left >= LAST_EVENTS) return;
    this.#remember(functionName);
    if (left >= 0) return;
    throw new TimeStandsStillError({
      atMs: instant.nowUs / 1000,
      chainLength: this.#longest,
      functionNames: [...this.#lastNames],
      maxChainPerInstant: this.#maxChain,
    });
  }

  #enter(nowUs: number): void {
    this.#atUs = nowUs;
    this.#caused = 0;
    this.#longest = 0;
    this.#lastNames.length = 0;
  }

  #remember(functionName: string): void {
    const name = functionName === '' ? '(anonymous)' : functionName;
    const known = this.#lastNames.indexOf(name);
    if (known !== -1) this.#lastNames.splice(known, 1);
    this.#lastNames.push(name);
    if (this.#lastNames.length > NAMES_SHOWN) this.#lastNames.shift();
  }
}
