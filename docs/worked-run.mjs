/**
 * The worked run of docs/spec.md: a real governor before a provider that takes five requests at once, on a clock that
 * moves only when told. `npm run docs:spec` writes its table into the page. Every number in it is the governor's.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGovernor } from '@tidegate/governor';
import { ManualClock } from '@tidegate/governor/testing';

const KEY = { provider: 'acme', model: 'large' };
const REQUESTS = 40;
const LIMIT = 5;
const ANSWER_MS = 1_000;
const REFUSAL_MS = 50;
/** Refusal number 15, the second failed probe, is the only one with a Retry-After. */
const HINTED_REFUSAL = 15;
const HINT_SECONDS = 3;
/** All times of the run are multiples of it. */
const TICK_MS = 50;
const IDLE_MS = 300_000;

/** One row per instant in which something was answered or the cap moved, with the state right after it. */
export async function workedRun() {
  const clock = new ManualClock();
  const governor = createGovernor({ clock, initial: 13, random: () => 0.5 });
  const rows = [];
  const now = { changes: [], succeeded: 0, throttled: 0, admitted: 0 };
  governor.onEvent((event) => {
    if (event.type === 'concurrency-changed') now.changes.push(event);
  });
  governor.onRequest((event) => {
    if (event.type === 'request-admitted') now.admitted++;
    if (event.type === 'request-settled') now[event.outcome]++;
  });
  const note = () => {
    if (now.changes.length + now.succeeded + now.throttled + now.admitted === 0) return;
    rows.push({ at: clock.now(), ...now, ...governor.snapshot(KEY) });
    Object.assign(now, { changes: [], succeeded: 0, throttled: 0, admitted: 0 });
  };

  const send = provider(clock);
  let open = REQUESTS;
  const requests = Array.from({ length: REQUESTS }, () => governor.request(KEY, send).finally(() => open--));
  for (await settled(); open > 0; await settled()) {
    note();
    clock.advance(TICK_MS);
  }
  await Promise.all(requests);
  note();
  clock.advance(IDLE_MS);
  governor.tryAcquire(KEY);
  note();
  return rows;
}

/** Takes `LIMIT` requests at once; refuses any other after a moment. */
function provider(clock) {
  const after = (ms) => new Promise((resolve) => clock.schedule(resolve, ms));
  let inFlight = 0;
  let refusals = 0;
  return async () => {
    if (inFlight >= LIMIT) {
      const headers = ++refusals === HINTED_REFUSAL ? { 'retry-after': `${HINT_SECONDS}` } : {};
      await after(REFUSAL_MS);
      throw Object.assign(new Error('too many requests'), { status: 429, headers });
    }
    inFlight++;
    await after(ANSWER_MS);
    inFlight--;
  };
}

/** One turn of the event loop: every promise that can settle has settled. */
function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The rows as a Markdown table. */
export async function workedRunTable() {
  const head = ['ms', 'answered', 'admitted', 'cap', 'why', 'in flight', 'queued', 'streak', 'proven', 'epoch'];
  const rows = (await workedRun()).map((row) => [
    group(row.at),
    [row.succeeded && `${row.succeeded} ok`, row.throttled && `${row.throttled} refused`].filter(Boolean).join(', '),
    row.admitted || '',
    [...row.changes.map(({ previous }) => previous), row.cap].join(' → '),
    row.changes.map(({ reason, cooldownMs }) => reason + (cooldownMs ? `, wait ${group(cooldownMs)}` : '')).join(', '),
    row.inFlight,
    row.queue,
    row.successStreak,
    row.lastGood ?? '',
    row.epoch,
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** 316100 → `316 100`. */
function group(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = new URL('spec.md', import.meta.url);
  const table = await workedRunTable();
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, text.replace(/(?<=<!-- worked run -->\n)[\s\S]*?(?=<!-- end -->)/, `\n${table}\n\n`));
}
