/**
 * How a limit moves by itself, and who else uses it up, as data. A quota that says nothing of this has one limit, all its
 * own.
 */

export interface LimitOverTime {
  /** Another limit at certain times of the day; of entries that overlap the first holds. */
  readonly schedule?: readonly ScheduleEntry[];
  readonly squeeze?: SqueezeSpec;
}

/** Times of day in ms after midnight UTC, below 24 h; from `fromMs` until just before `toMs`, over midnight if that is less. */
export interface ScheduleEntry {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/** A pool under pressure: now and then at most `limit`, for a while, whatever the load. */
export interface SqueezeSpec extends EpisodesSpec {
  readonly limit: number;
}

/** Something that comes and goes by itself: two states, left at random, without memory. Begins in the quiet one. */
export interface EpisodesSpec {
  /** Mean time from the end of an episode to the next one; ≥ `SHORTEST_MEAN_MS`. */
  readonly everyMs: number;
  /** Mean length of an episode; ≥ `SHORTEST_MEAN_MS`. */
  readonly forMs: number;
}

/** Of what happens by itself at random: a day of it must not take a day to catch up with. */
export const SHORTEST_MEAN_MS = 1;

/**
 * A limit that follows sustained success. After each period in which successful requests used at least `use` of what the
 * limit allows in one, it is 1 + `growth` times as high, `max` at most; after any other as much lower, down to the stated
 * limit.
 */
export interface GrowthSpec {
  readonly max: number;
  /** A share > 0. */
  readonly growth: number;
  /** ≥ `SHORTEST_MEAN_MS`. */
  readonly everyMs: number;
  /** A share > 0. */
  readonly use: number;
}

/** Other tenants of a window: one spending of `amount` every `everyMs` in the mean, at random times, as long as it fits. */
export interface OthersSpending {
  /** ≥ `SHORTEST_MEAN_MS`. */
  readonly everyMs: number;
  readonly amount: number;
}

/**
 * Other tenants of the places: one arrival every `everyMs` in the mean, at random times, that holds a place for `holdMs`
 * and goes away if there is none. How many places they hold depends on these two means alone (the insensitivity of the
 * Erlang loss system), so the holding time is a constant.
 */
export interface OthersPlaces {
  /** ≥ `SHORTEST_MEAN_MS`. */
  readonly everyMs: number;
  readonly holdMs: number;
}
