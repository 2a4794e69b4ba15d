/**
 * The governor against the limiters people use today, in one run, as ratios. None of the peers adapts; what is compared
 * is what a call costs. On a manual clock, because reading the system's clock twice costs more than everything else; the
 * system-clock figure stands beside it.
 */

import { setMaxListeners } from 'node:events';
import { newQueue } from '@henrygd/queue';
import { createGovernor } from '@tidegate/governor';
import { ManualClock } from '@tidegate/governor/testing';
import { Sema } from 'async-sema';
import { bulkhead } from 'cockatiel';
import fastq from 'fastq';
import pLimit from 'p-limit';
import PQueue from 'p-queue';
import { Bench } from 'tinybench';

const KEY = { provider: 'acme', model: 'large' };
/** Calls per measured iteration, so that the harness does not show. */
const CALLS = 10_000;
const nothing = async () => {};

/** All tasks are measured in turn, this often: what else the machine does meets all of them alike. */
const ROUNDS = 5;

/** Million calls per second of each task in each round, by the fastest tenth of its iterations: a noisy neighbour only slows. */
async function rates(tasks, calls = CALLS, timeMs = 150) {
  const rounds = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    const bench = new Bench({ time: timeMs, warmupTime: 50, retainSamples: true });
    for (const [name, fn] of Object.entries(tasks)) bench.add(name, fn);
    await bench.run();
    for (const { name, result } of bench.tasks) {
      if (result.state !== 'completed') throw result.error ?? new Error(`${name}: ${result.state}`);
      const samples = [...result.latency.samples].sort((a, b) => a - b);
      rounds[name].push(calls / samples[Math.floor(samples.length / 10)] / 1000);
    }
  }
  return rounds;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
/** The median of the rounds' ratios: both sides of each were measured beside each other. */
const ratio = (mine, theirs) => median(mine.map((rate, round) => rate / theirs[round]));

function uncontended() {
  const manual = createGovernor({ clock: new ManualClock(0.5) });
  const system = createGovernor();
  const sema = new Sema(8);
  const limit = pLimit(8);
  const queue = new PQueue({ concurrency: 8 });
  const wall = bulkhead(8, 1e9);
  const fast = fastq.promise(nothing, 8);
  const henry = newQueue(8);
  const awaited = (call) => async () => {
    for (let i = 0; i < CALLS; i++) await call();
  };
  return {
    'tryAcquire, manual clock': () => {
      for (let i = 0; i < CALLS; i++) manual.tryAcquire(KEY).succeed();
    },
    'tryAcquire, system clock': () => {
      for (let i = 0; i < CALLS; i++) system.tryAcquire(KEY).succeed();
    },
    'acquire, manual clock': async () => {
      for (let i = 0; i < CALLS; i++) (await manual.acquire(KEY)).succeed();
    },
    'acquire, system clock': async () => {
      for (let i = 0; i < CALLS; i++) (await system.acquire(KEY)).succeed();
    },
    'async-sema acquire': async () => {
      for (let i = 0; i < CALLS; i++) {
        await sema.acquire();
        sema.release();
      }
    },
    'async-sema tryAcquire': () => {
      for (let i = 0; i < CALLS; i++) {
        sema.tryAcquire();
        sema.release();
      }
    },
    'p-limit': awaited(() => limit(nothing)),
    'p-queue': awaited(() => queue.add(nothing)),
    'cockatiel bulkhead': awaited(() => wall.execute(nothing)),
    fastq: awaited(() => fast.push(undefined)),
    '@henrygd/queue': awaited(() => henry.add(nothing)),
  };
}

/** 10 000 tasks at once through a cap of eight. */
function fanOut() {
  const governor = createGovernor({ clock: new ManualClock(0.5) });
  const limit = pLimit(8);
  const queue = new PQueue({ concurrency: 8 });
  const all = (call) => () => Promise.all(Array.from({ length: CALLS }, call));
  return {
    governor: all(async () => {
      const ticket = await governor.acquire(KEY);
      await nothing();
      ticket.succeed();
    }),
    'p-limit': all(() => limit(nothing)),
    'p-queue': all(() => queue.add(nothing)),
  };
}

/** 10 000 waiters of one signal, aborted together. */
async function abortAll() {
  const governed = async () => {
    const governor = createGovernor({ clock: new ManualClock() });
    for (let i = 0; i < 8; i++) governor.tryAcquire(KEY);
    const controller = new AbortController();
    const { signal } = controller;
    const waiters = Array.from({ length: CALLS }, () => governor.acquire(KEY, { signal }));
    const settled = Promise.allSettled(waiters);
    const started = process.hrtime.bigint();
    controller.abort();
    await settled;
    return Number(process.hrtime.bigint() - started) / 1e6;
  };
  const queued = async () => {
    const queue = new PQueue({ concurrency: 8 });
    const forever = () => new Promise(() => {});
    for (let i = 0; i < 8; i++) void queue.add(forever);
    const controller = new AbortController();
    const { signal } = controller;
    // p-queue adds a listener for each waiter, on purpose; Node's warning of it says nothing here.
    setMaxListeners(0, signal);
    const waiters = Array.from({ length: CALLS }, () => queue.add(nothing, { signal }));
    const settled = Promise.allSettled(waiters);
    const started = process.hrtime.bigint();
    controller.abort();
    await settled;
    return Number(process.hrtime.bigint() - started) / 1e6;
  };
  const best = async (run) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 10; i++) least = Math.min(least, await run());
    return least;
  };
  return { governor: await best(governed), 'p-queue': await best(queued) };
}

export async function bench() {
  const one = await rates(uncontended());
  const many = await rates(fanOut());
  const abort = await abortAll();
  const row = (name, value, unit, note) => ({ name, value, unit, note });
  const versus = (mine, theirs, note) => row(`${mine} ÷ ${theirs}`, ratio(one[mine], one[theirs]), '×', note);
  return [
    ...Object.entries(one).map(([name, rate]) =>
      row(name, median(rate), 'M calls/s', 'uncontended, acquire and settle'),
    ),
    versus('tryAcquire, manual clock', 'async-sema acquire', '≥ 1'),
    versus('tryAcquire, manual clock', 'async-sema tryAcquire', 'no target: it keeps no ticket, no key and no time'),
    versus('acquire, manual clock', 'p-limit', '≥ 2'),
    versus('acquire, manual clock', 'p-queue', '≥ 8'),
    ...Object.entries(many).map(([name, rate]) =>
      row(`fan-out: ${name}`, median(rate), 'M tasks/s', '10 000 tasks, cap 8'),
    ),
    row('fan-out: governor ÷ p-limit', ratio(many.governor, many['p-limit']), '×', '≥ 1'),
    row('fan-out: governor ÷ p-queue', ratio(many.governor, many['p-queue']), '×', '≥ 2'),
    ...Object.entries(abort).map(([name, ms]) => row(`abort 10 000: ${name}`, ms, 'ms', 'one signal')),
    row('abort: governor ÷ p-queue', abort.governor / abort['p-queue'], '×', '≤ 0.1'),
  ];
}
