/** Who may pass: in flight per key, the cap, the cooldown. */

import { breach } from './invariants.js';
import type { WatchedKey, WatchedRequest } from './watched.js';

/** One tick of a trace's clock: what rounding may move a deadline by. */
const TICK_MS = 0.001;

/** A request is about to count as in flight on `key`. */
export function checkRoom({ name, inFlight, cap }: WatchedKey): void {
  if (inFlight >= cap) breach('room-under-cap', `${name}: admitted with ${inFlight} in flight under a cap of ${cap}`);
}

export function checkCooldown({ name, coolingUntil }: WatchedKey, t: number): void {
  if (t < coolingUntil - TICK_MS) {
    breach('no-admission-in-cooldown', `${name}: admitted at ${t} ms, cooling until ${coolingUntil} ms`);
  }
}

/** Whether the gate would have let it in: what an observer's success is evidence by. In doubt, it would. */
export function isWelcome({ inFlight, cap, coolingUntil }: WatchedKey, t: number): boolean {
  return inFlight < cap && t >= coolingUntil - TICK_MS;
}

/** A request stops counting as in flight on `key`. */
export function checkBalance(key: WatchedKey, { id, key: admittedOn }: WatchedRequest): void {
  if (key !== admittedOn) {
    breach('in-flight-balance', `request ${id} was admitted on ${admittedOn.name} and settles on ${key.name}`);
  }
}
