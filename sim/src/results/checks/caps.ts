/**
 * How the cap of a key may move. The bounds hold for every controller; epochs, cuts and raises are rules of the reference
 * controller.
 */

import type { ConcurrencyChanged, RequestSettled } from '../../trace/events.js';
import { isThrottle } from '../epoch-watch.js';
import { breach } from './invariants.js';
import type { Rules, WatchedKey } from './watched.js';

/** @param highestBound of the open runs that have asked for the key. */
export function checkBounds(
  { previous, next }: ConcurrencyChanged,
  { name, cap }: WatchedKey,
  { floor, growthLimit }: Rules,
  highestBound: number,
): void {
  if (previous !== cap) breach('cap-in-bounds', `${name}: the cap is ${cap}, the change says it was ${previous}`);
  if (!(next >= floor)) breach('cap-in-bounds', `${name}: the cap falls to ${next}, below the floor ${floor}`);
  if (next <= previous) return;
  const ceiling = Math.max(growthLimit, highestBound);
  if (next > ceiling) breach('cap-in-bounds', `${name}: the cap rises to ${next}, above the ceiling ${ceiling}`);
}

/** A request was admitted in `epoch`; `key` does not count it yet. */
export function checkEpoch(key: WatchedKey, epoch: number, t: number, idleResetMs: number): void {
  const { current } = key.epochs;
  if (epoch === current) return;
  // A key that was idle may have been forgotten whole; then it begins again, and its reset has been told.
  if (epoch === 0 && key.inFlight === 0 && t - key.lastUsedAt >= idleResetMs) {
    key.epochs.forgotten();
    return;
  }
  if (epoch < current) {
    breach('one-cut-per-epoch', `${key.name}: admitted in epoch ${epoch}, after epoch ${current} had begun`);
  }
  // What turns an epoch without a word is an idle reset, and a key is idle only with nothing in flight.
  if (key.inFlight > 0) {
    breach('one-cut-per-epoch', `${key.name}: epoch ${epoch} has begun, and nothing turned epoch ${current}`);
  }
  key.epochs.admitted(epoch);
  key.streak = 0;
}

/**
 * What a settlement is worth as evidence: it proves the cap, or disproves it.
 *
 * @param isEvidence false: its success says nothing.
 */
export function weigh({ t, outcome, epoch }: RequestSettled, key: WatchedKey, isEvidence: boolean): void {
  key.isCutDue = false;
  if (outcome === 'succeeded') {
    if (epoch !== key.epochs.current || !isEvidence) return;
    key.streak++;
    key.provenAt = t;
  } else if (outcome === 'throttled') {
    key.streak = 0;
    key.isCutDue = key.epochs.throttled(epoch);
  } else if (outcome === 'failed') {
    key.streak = 0;
  }
}

export function checkChange(event: ConcurrencyChanged, key: WatchedKey, rules: Rules): void {
  if (isThrottle(event.reason)) checkCut(event, key);
  else if (event.reason === 'recovered') checkRaise(event, key, rules);
  // All other causes start afresh.
  key.streak = 0;
  key.epochs.changed(event.reason);
}

function checkCut({ previous, next, reason }: ConcurrencyChanged, key: WatchedKey): void {
  if (!key.isCutDue) {
    breach(
      'one-cut-per-epoch',
      `${key.name}: ${reason} from ${previous} to ${next} without a new refusal of its epoch`,
    );
  }
  if (next > previous) breach('one-cut-per-epoch', `${key.name}: ${reason} raised the cap from ${previous} to ${next}`);
  key.isCutDue = false;
}

function checkRaise({ t, next }: ConcurrencyChanged, key: WatchedKey, { increaseAfterSuccesses: k }: Rules): void {
  const { name, streak, provenAt, turns } = key;
  if (streak < k || provenAt !== t) {
    breach('raise-on-proof', `${name}: raised to ${next} after ${streak} successes of the epoch in a row, not ${k}`);
  }
  if (turns.waiting === 0) breach('raise-on-proof', `${name}: raised to ${next} with nobody waiting`);
}
