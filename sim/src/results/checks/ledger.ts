/**
 * The end of a run: nothing is left open, and the provider's own books agree with what the trace has seen. A refusal that
 * is still on its way, or whose client had gone, is in the ledger alone; so a count may exceed the trace's by as many.
 */

import type { CountedModel, Mode, TraceFinished } from '../../trace/events.js';
import type { OpenRequests } from '../open-requests.js';
import { breach } from './invariants.js';
import type { WatchedKey, WatchedRequest } from './watched.js';

type WatchedCounts = Pick<
  WatchedKey,
  'admitted' | 'succeeded' | 'refused' | 'others' | 'inFlight' | 'mostInFlight' | 'refusedBy'
>;

export function checkEnds({ stop }: TraceFinished, open: OpenRequests<WatchedRequest>): void {
  if (stop !== 'done') return;
  for (const { id, attempt, phase } of open.values()) {
    breach('every-request-ends', `${open.size} requests are open, the first is ${id}: attempt ${attempt} is ${phase}`);
  }
}

const NO_ENTRY: CountedModel = { admitted: 0, refused: 0, abandoned: 0, peakInFlight: 0, inFlight: 0, refusedBy: {} };

export function checkLedgers({ ledger }: TraceFinished, gates: ReadonlyMap<string, WatchedKey>, mode: Mode): void {
  // A real provider shows nobody its books.
  if (mode === 'live') return;
  const byKey = seenByKey(gates.values());
  for (const [name, { admitted, refused }] of Object.entries(ledger)) {
    if (!byKey.has(name) && admitted + refused > 0) {
      breach('ledger-agrees', `${name}: the ledger has ${admitted + refused} requests, the trace none`);
    }
  }
  for (const key of byKey.values()) {
    const entry = ledger[key.name] ?? NO_ENTRY;
    checkRefusals(key, entry);
    checkSent(key, entry, mode);
    if (mode === 'simulated') checkInFlight(key, entry);
  }
}

/** What the trace has seen of one key, through all the gates of all processes. */
type Seen = Omit<WatchedCounts, 'refusedBy'> & {
  readonly name: string;
  readonly refusedBy: ReadonlyMap<string, number>;
};

function seenByKey(gates: Iterable<WatchedKey>): ReadonlyMap<string, Seen> {
  const byKey = new Map<string, Seen>();
  for (const gate of gates) {
    const others = byKey.get(gate.key);
    byKey.set(gate.key, { ...(others === undefined ? counts(gate) : sum(others, counts(gate))), name: gate.key });
  }
  return byKey;
}

function counts({
  admitted,
  succeeded,
  refused,
  others,
  inFlight,
  mostInFlight,
  refusedBy,
}: WatchedKey): WatchedCounts {
  return { admitted, succeeded, refused, others, inFlight, mostInFlight, refusedBy };
}

function sum(a: Omit<Seen, 'name'>, b: WatchedCounts): Omit<Seen, 'name'> {
  const refusedBy = new Map(a.refusedBy);
  for (const [quota, count] of b.refusedBy) refusedBy.set(quota, (refusedBy.get(quota) ?? 0) + count);
  return {
    admitted: a.admitted + b.admitted,
    succeeded: a.succeeded + b.succeeded,
    refused: a.refused + b.refused,
    others: a.others + b.others,
    inFlight: a.inFlight + b.inFlight,
    // Their peaks need not come together, but cannot come to more.
    mostInFlight: a.mostInFlight + b.mostInFlight,
    refusedBy,
  };
}

function within(what: string, { name }: Seen, inLedger: number, min: number, max: number): void {
  if (inLedger >= min && inLedger <= max) return;
  const expected = min === max ? `${min}` : `${min} to ${max}`;
  breach('ledger-agrees', `${name}: the ledger has ${inLedger} ${what}, the trace ${expected}`);
}

function checkRefusals(key: Seen, { refused, refusedBy }: CountedModel): void {
  const unseen = key.inFlight + key.others;
  within('refusals', key, refused, key.refused, key.refused + unseen);
  const sum = Object.values(refusedBy).reduce((a, b) => a + b, 0);
  within('refusals by quota', key, sum, refused, refused);
  for (const quota of new Set([...Object.keys(refusedBy), ...key.refusedBy.keys()])) {
    const seen = key.refusedBy.get(quota) ?? 0;
    within(`refusals by ${quota}`, key, refusedBy[quota] ?? 0, seen, seen + unseen);
  }
}

function checkSent(key: Seen, { admitted, refused, abandoned, inFlight }: CountedModel, mode: Mode): void {
  // Over a network an attempt may fail before the provider hears of it; a stop may fall between admission and sending.
  const unsent = key.inFlight + (mode === 'simulated' ? 0 : key.others);
  within('requests', key, admitted + refused, key.admitted - unsent, key.admitted);
  const unanswered = mode === 'simulated' ? 0 : key.inFlight;
  within('answers', key, admitted - abandoned - inFlight, key.succeeded, key.succeeded + key.others + unanswered);
}

function checkInFlight(key: Seen, { inFlight, peakInFlight }: CountedModel): void {
  const { name } = key;
  if (inFlight > key.inFlight)
    breach('mock-in-flight', `${name}: ${inFlight} at the provider, ${key.inFlight} in the trace`);
  if (peakInFlight > key.mostInFlight) {
    breach('mock-in-flight', `${name}: at most ${peakInFlight} at the provider, ${key.mostInFlight} in the trace`);
  }
}
