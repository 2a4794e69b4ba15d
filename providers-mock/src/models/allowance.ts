/**
 * What may be spent over time, in units that the quota chooses (requests or tokens). A token bucket, a fixed window and a
 * sliding window are three answers to one question: how long until `need` more fits? Amounts and times are whole numbers,
 * times in microseconds. An allowance never decides; it may be overdrawn by those who do not ask first.
 */

export interface Allowance {
  /** Microseconds until `need` (≥ 1) more fits if nothing else is spent: 0 = now, Infinity = more than the whole. */
  waitUs(need: number, nowUs: number): number;
  /** Reserved at admission; `settled` closes it. */
  reserved(amount: number, nowUs: number): void;
  /** Closes a reservation made at `takenUs`: `unused` of its `amount` comes back, the rest stays spent. */
  settled(amount: number, unused: number, takenUs: number, nowUs: number): void;
  /** Spent for good, whether it fits or not. */
  charged(amount: number, nowUs: number): void;
  /** Spent for good by a refused request. */
  refused(amount: number, nowUs: number): void;
  /** What is left to spend: a whole number, below 0 in debt. */
  left(nowUs: number): number;
  /** Microseconds until nothing is missing if nothing else is spent, rounded up. */
  fullInUs(nowUs: number): number;
  /** New numbers from now on; what is spent stays spent. */
  reconfigured(numbers: AllowanceNumbers, nowUs: number): void;
}

export interface AllowanceNumbers {
  readonly limit: number;
  readonly perUs: number;
  readonly burst: number;
}
