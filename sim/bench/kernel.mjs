/**
 * What the kernel costs: events a second with 1000 pending, each event scheduling the next, against a bare binary heap
 * on typed arrays (no phases, no sequence numbers, no cancelling, no guard) under the same load in the same run; then
 * timeouts set and cancelled, and random numbers. Runs on the compiled sources (`npm run build` first).
 *
 * @module
 */

import { pathToFileURL } from 'node:url';
import { Bench } from 'tinybench';
import { sampler } from '../dist/kernel/distribution.js';
import { Kernel, PHASE } from '../dist/kernel/kernel.js';
import { RandomStreams } from '../dist/kernel/random.js';

const PENDING = 1000;
const EVENTS = 500_000;
const TIMEOUTS = 200_000;
const DRAWS = 200_000;

// Powers of two, so that picking one costs no division.
const DELAYS = 2 ** 16;
const delayStream = new RandomStreams(1).stream('delays');
const delaysUs = Float64Array.from({ length: DELAYS }, () => 1 + Math.floor(delayStream.next() * 10_000_000));

/** A binary heap of (time, payload) and nothing more: the floor that the kernel is measured against. */
class BareHeap {
  size = 0;
  times = new Float64Array(2 * PENDING);
  payloads = new Int32Array(2 * PENDING);

  /** @param {number} time @param {number} payload */
  push(time, payload) {
    const { times, payloads } = this;
    let position = this.size;
    this.size += 1;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (times[parent] <= time) break;
      times[position] = times[parent];
      payloads[position] = payloads[parent];
      position = parent;
    }
    times[position] = time;
    payloads[position] = payload;
  }

  dropFirst() {
    const { times, payloads } = this;
    this.size -= 1;
    const size = this.size;
    const time = times[size];
    let position = 0;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= size) break;
      if (child + 1 < size && times[child + 1] < times[child]) child += 1;
      if (times[child] >= time) break;
      times[position] = times[child];
      payloads[position] = payloads[child];
      position = child;
    }
    times[position] = time;
    payloads[position] = payloads[size];
  }
}

function runBareHeap() {
  const heap = new BareHeap();
  let nowUs = 0;
  let count = 0;
  /** @param {number} payload */
  const event = (payload) => {
    count += 1;
    if (count <= EVENTS - PENDING) heap.push(nowUs + delaysUs[count & (DELAYS - 1)], payload);
  };
  for (let first = 0; first < PENDING; first += 1) heap.push(delaysUs[first], first);
  while (heap.size > 0) {
    nowUs = heap.times[0];
    const payload = heap.payloads[0];
    heap.dropFirst();
    event(payload);
  }
  return count;
}

function runKernel() {
  const kernel = new Kernel();
  let count = 0;
  /** @param {number} payload */
  const event = (payload) => {
    count += 1;
    if (count <= EVENTS - PENDING) {
      kernel.at(kernel.nowUs + delaysUs[count & (DELAYS - 1)], PHASE.completion, event, payload);
    }
  };
  for (let first = 0; first < PENDING; first += 1) kernel.at(delaysUs[first], PHASE.completion, event, first);
  kernel.run();
  return count;
}

/** A call in flight at a time has a ten-minute timeout, cancelled when its answer comes. */
function setAndCancelTimeouts() {
  const kernel = new Kernel();
  let left = TIMEOUTS;
  const timedOut = () => {
    throw new Error('a cancelled timeout ran');
  };
  /** @param {number} timeout */
  const answered = (timeout) => {
    kernel.cancel(timeout);
    left -= 1;
    if (left > 0) call();
  };
  const call = () => {
    const timeout = kernel.after(600_000, PHASE.timer, timedOut, undefined);
    kernel.after(delaysUs[left & (DELAYS - 1)] / 1000, PHASE.completion, answered, timeout);
  };
  for (let open = 0; open < PENDING; open += 1) call();
  kernel.run();
  return kernel.executed;
}

/** @param {() => number} draw */
function drawMany(draw) {
  let sum = 0;
  for (let drawn = 0; drawn < DRAWS; drawn += 1) sum += draw();
  return sum;
}

/** @returns {Promise<{ name: string; value: number; unit: string; note: string }[]>} */
export async function bench() {
  const streams = new RandomStreams(1);
  const uniform = streams.stream('uniform');
  const sizes = streams.stream('sizes');
  const lognormal = sampler({ kind: 'lognormal', median: 600, p95: 2000 });
  const suite = new Bench({ time: 1000, warmupTime: 300, throws: true });
  suite
    .add('bare', runBareHeap)
    .add('kernel', runKernel)
    .add('timeouts', setAndCancelTimeouts)
    .add('uniform', () => drawMany(() => uniform.next()))
    .add('lognormal', () => drawMany(() => lognormal(sizes)))
    .add('streams', () => drawMany(labelledStream(streams)));
  await suite.run();
  const medianMs = (/** @type {string} */ name) => {
    const result = suite.getTask(name)?.result;
    if (result?.state !== 'completed') throw new Error(`the task ${name} did not complete`);
    return result.latency.p50;
  };
  const perSecond = (/** @type {string} */ name, /** @type {number} */ count) =>
    Math.round((count / medianMs(name)) * 1000);
  const nsEach = (/** @type {string} */ name, /** @type {number} */ count) => (medianMs(name) / count) * 1e6;
  return [
    {
      name: 'kernel',
      value: perSecond('kernel', EVENTS),
      unit: 'events/s',
      note: `${PENDING} pending, each schedules the next`,
    },
    {
      name: 'bare binary heap',
      value: perSecond('bare', EVENTS),
      unit: 'events/s',
      note: 'the same load, time order only',
    },
    {
      name: 'kernel / bare heap',
      value: medianMs('bare') / medianMs('kernel'),
      unit: 'ratio',
      note: 'target: at least 0.33',
    },
    {
      name: 'timeouts set and cancelled',
      value: perSecond('timeouts', TIMEOUTS),
      unit: 'calls/s',
      note: 'ten minutes each, with their call',
    },
    { name: 'random number', value: nsEach('uniform', DRAWS), unit: 'ns', note: '53 bits; target: below 40' },
    { name: 'lognormal sample', value: nsEach('lognormal', DRAWS), unit: 'ns', note: 'inverse distribution function' },
    {
      name: 'new random stream',
      value: nsEach('streams', DRAWS),
      unit: 'ns',
      note: 'from its label, first number included',
    },
  ];
}

/** @param {RandomStreams} streams */
function labelledStream(streams) {
  let number = 0;
  return () => {
    number += 1;
    return streams.stream(`tokens/agent-${number}`).next();
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { name, value, unit, note } of await bench()) {
    const shown = value >= 1000 ? value.toLocaleString('en') : value.toFixed(2);
    console.log(`${name}: ${shown} ${unit} (${note})`);
  }
}
