/** What waiting costs in memory, and that idle keys give theirs back. Bytes by the heap's own count after a collection. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGovernor } from '@tidegate/governor';
import { ManualClock } from '@tidegate/governor/testing';

const KEY = { provider: 'acme', model: 'large' };
const WAITERS = 1_000_000;
const RUNS = 1_000;
const KEYS = 100_000;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

function heapAfterCollection() {
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

/** Bytes that `hold` keeps alive, per unit. */
function bytesEach(units, hold) {
  const before = heapAfterCollection();
  const held = hold();
  const bytes = (heapAfterCollection() - before) / units;
  held.governor.close();
  return bytes;
}

function fullGovernor() {
  const governor = createGovernor({ clock: new ManualClock(0.5), initial: 1 });
  governor.tryAcquire(KEY);
  return { governor, runs: Array.from({ length: RUNS }, (_, i) => governor.openRun(`run-${i}`)) };
}

function enqueued() {
  const waiter = { admitted() {}, refused() {} };
  const { governor, runs } = fullGovernor();
  for (let i = 0; i < WAITERS; i++) governor.enqueue(KEY, { run: runs[i % RUNS] }, waiter);
  return { governor };
}

function awaited() {
  const { governor, runs } = fullGovernor();
  const promises = [];
  for (let i = 0; i < WAITERS; i++) {
    const promise = governor.acquire(KEY, { run: runs[i % RUNS] });
    promise.catch(() => {});
    promises.push(promise);
  }
  return { governor, promises };
}

/** Keys touched once, then more new keys after the idle reset: what is left of the first. */
function forgottenKeys() {
  const clock = new ManualClock(0.5);
  const governor = createGovernor({ clock });
  const before = heapAfterCollection();
  for (let i = 0; i < KEYS; i++) governor.tryAcquire({ provider: 'acme', model: `m-${i}` }).succeed();
  const full = heapAfterCollection();
  clock.advance(300_000);
  const left = governor.snapshots().length;
  const after = heapAfterCollection();
  return { left, held: (full - before) / 1e6, after: (after - before) / 1e6 };
}

export async function bench() {
  const { left, held, after } = forgottenKeys();
  return [
    {
      name: 'a waiter through enqueue',
      value: bytesEach(WAITERS, enqueued),
      unit: 'bytes',
      note: '≤ 200, 1 000 000 over 1 000 runs',
    },
    {
      name: 'a waiter through acquire',
      value: bytesEach(WAITERS, awaited),
      unit: 'bytes',
      note: '≤ 700, promise and its catch included',
    },
    { name: '100 000 keys touched once', value: held, unit: 'MB', note: 'while remembered' },
    { name: '… after the idle reset', value: after, unit: 'MB', note: `${left} keys left` },
  ];
}
