/**
 * `npm run soak [OPERATIONS] [SEED]`: random operations over 100 keys and 50 runs, with aborts and clock jumps; then
 * everything is let go, and nothing may be left: no ticket, waiter, listener or timer, and a heap as before.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGovernor } from '@tidegate/governor';
import { ManualClock } from '@tidegate/governor/testing';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

const [operations = 10_000_000, seed = 1] = process.argv.slice(2).map(Number);
const KEYS = 100;
const RUNS = 50;
/** In flight and queued stay below this, so that memory has no reason to grow. */
const POPULATION = 4_000;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const heapMb = () => {
  gc();
  return process.memoryUsage().heapUsed / 1e6;
};

const random = xoroshiro128plus(seed);
const pick = (n) => uniformInt(random, 0, n - 1);

let listeners = 0;
/** A signal of the platform that counts who listens. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args) => {
    listeners--;
    remove(...args);
  };
  return controller;
}

const clock = new ManualClock(0.5);
const governor = createGovernor({ clock, initial: 8, resumeStaggerMs: 5 });
const keys = Array.from({ length: KEYS }, (_, i) => ({ provider: `p${i % 7}`, model: `m${i}` }));
const runs = Array.from({ length: RUNS }, (_, i) => governor.openRun(`run-${i}`));
const signals = Array.from({ length: 64 }, countedSignal);
const tickets = [];
const waiting = new Set();
let admitted = 0;
let refused = 0;

function take(list, index) {
  const item = list[index];
  const last = list.pop();
  if (index < list.length) list[index] = last;
  return item;
}

function ask() {
  const key = keys[pick(KEYS)];
  const options = {};
  if (pick(3) > 0) options.run = runs[pick(RUNS)];
  if (pick(2) === 0) options.signal = signals[pick(signals.length)].signal;
  const entry = { handle: undefined, over: false };
  const over = () => {
    entry.over = true;
    waiting.delete(entry);
  };
  entry.handle = governor.enqueue(key, options, {
    admitted(ticket) {
      over();
      admitted++;
      tickets.push(ticket);
    },
    refused() {
      over();
      refused++;
    },
  });
  if (!entry.over) waiting.add(entry);
}

function settle() {
  if (tickets.length === 0) return;
  const ticket = take(tickets, pick(tickets.length));
  const ending = pick(20);
  if (ending < 14) ticket.succeed();
  else if (ending < 16) ticket.throttle();
  else if (ending < 17) ticket.throttle({ retryAfterMs: pick(30_000) });
  else if (ending < 18) ticket.fail();
  else if (ending < 19) ticket.end();
  else {
    ticket.release();
    ticket.succeed();
  }
}

function replaceRun() {
  const i = pick(RUNS);
  runs[i].close();
  runs[i] = governor.openRun(`run-${i}`, pick(2) === 0 ? {} : { maxConcurrency: 1 + pick(40) });
}

function step() {
  const what = pick(1_000);
  if (what < 480) {
    if (tickets.length + waiting.size < POPULATION) ask();
    else settle();
  } else if (what < 940) settle();
  else if (what < 960) {
    const [entry] = waiting;
    entry?.handle.cancel();
  } else if (what < 965) {
    const i = pick(signals.length);
    signals[i].abort();
    signals[i] = countedSignal();
  } else if (what < 970) runs[pick(RUNS)].amend({ maxConcurrency: pick(3) === 0 ? null : 1 + pick(60) });
  else if (what < 972) replaceRun();
  else clock.advance(what < 999 ? pick(200) : pick(400_000));
}

for (let i = 0; i < 200_000; i++) step();
const before = heapMb();
const marks = [];
for (let i = 0; i < operations; i++) {
  step();
  if ((i + 1) % Math.ceil(operations / 5) === 0) {
    marks.push(heapMb().toFixed(1));
    console.error(`${((100 * (i + 1)) / operations).toFixed(0)} %: heap ${marks.at(-1)} MB`);
  }
}

for (const entry of [...waiting]) entry.handle.cancel();
while (tickets.length > 0) tickets.pop().end();
for (const run of runs) run.close();
clock.advance(2_000_000);
const snapshots = governor.snapshots();
const left = {
  'in flight': snapshots.reduce((sum, { inFlight }) => sum + inFlight, 0),
  queued: snapshots.reduce((sum, { queue }) => sum + queue, 0),
  keys: snapshots.length,
  timers: clock.pending,
  listeners,
};
const after = heapMb();
console.log(`${operations} operations, seed ${seed}: ${admitted} admitted, ${refused} refused`);
console.log(`heap ${before.toFixed(1)} MB before, ${marks.join(', ')} on the way, ${after.toFixed(1)} MB after`);
console.log(`left: ${JSON.stringify(left)}`);
process.exitCode = Object.values(left).every((n) => n === 0) && after < before * 1.5 + 5 ? 0 : 1;
