/**
 * What must hold of a governor whatever its model says, read from what was written down and from snapshots alone: the
 * invariants in words. It shares nothing with the model, so that a fault which both have still shows here.
 */

import type { BucketSnapshot } from '../../src/gate/bucket-settings.js';
import type { RequestEvent } from '../../src/gate/request-events.js';
import type { Key } from '../../src/gate/ticket.js';
import { type Ending, type Entry, KEYS, type TicketLike, textOf } from './governor-script.js';
import type { NaiveOptions } from './naive-governor.js';

type Of<What extends Entry['what']> = Extract<Entry, { what: What }>;
type Snapshot = (key: Key) => BucketSnapshot | undefined;

/** How things stand after a step. */
interface Standing {
  readonly tickets: readonly TicketLike[];
  readonly waiting: readonly string[];
  readonly signals: readonly AbortSignal[];
}

interface Waiting {
  readonly id: string;
  readonly run: string | undefined;
  readonly isPromised: boolean;
  /** Grants that its key had made when it began to wait. */
  readonly since: number;
}

/** What is remembered of one key. */
class Ledger {
  epoch = 0;
  readonly cutEpochs = new Set<number>();
  /** Successes under the current cap since whatever last broke the row. */
  successes = 0;
  waiting: Waiting[] = [];
  /** The runs of the requests that were let through after a wait, in order. */
  readonly grants: (string | undefined)[] = [];

  /** Epochs only grow: a smaller one belongs to a key that was forgotten and met again. */
  sawEpoch(epoch: number): void {
    if (epoch < this.epoch) this.cutEpochs.clear();
    if (epoch !== this.epoch) this.successes = 0;
    this.epoch = epoch;
  }
}

export class Invariants {
  readonly #options: NaiveOptions;
  readonly #listenersOf: (signal: AbortSignal) => number;
  /** What was told of single requests so far; undefined while nobody listens. */
  readonly #requests: readonly RequestEvent[] | undefined;
  readonly #asked = new Map<string, Of<'asked'>>();
  readonly #answered = new Set<string>();
  readonly #ledgers = new Map(KEYS.map((key) => [textOf(key), new Ledger()]));
  /** Settling calls under way, the innermost last: callbacks may settle another ticket in the middle of one. */
  readonly #settling: Of<'settling'>[] = [];
  /** Who is refused in this step: many leave at once and are told one by one. */
  #leaving: ReadonlySet<string> = new Set();

  constructor(
    options: NaiveOptions,
    listenersOf: (signal: AbortSignal) => number,
    requests: readonly RequestEvent[] | undefined,
  ) {
    this.#options = options;
    this.#listenersOf = listenersOf;
    this.#requests = requests;
  }

  check(entries: readonly Entry[], standing: Standing, snapshot: Snapshot): void {
    this.#leaving = new Set(entries.flatMap((entry) => (entry.what === 'refused' ? [entry.id] : [])));
    for (const entry of entries) this.#read(entry);
    for (const key of KEYS) {
      const seen = snapshot(key);
      if (seen === undefined) this.#ledgers.set(textOf(key), new Ledger());
      this.#inFlightIsWhatIsOut(key, standing, seen);
      if (seen !== undefined) this.#theCapKeepsItsBounds(key, seen);
    }
    for (const signal of standing.signals) {
      holds(this.#listenersOf(signal) <= 1, `${this.#listenersOf(signal)} listeners on one signal`);
    }
  }

  /** Every request ends, and nothing is left behind. */
  finish({ tickets, waiting, signals }: Standing, snapshot: Snapshot): void {
    holds(waiting.length === 0, `never answered: ${waiting.join(', ')}`);
    holds(this.#answered.size === this.#asked.size, 'as many answers as requests');
    holds(tickets.length === 0, `${tickets.length} tickets were never settled`);
    for (const key of KEYS) {
      const { inFlight = 0, queue = 0, waiters = 0 } = snapshot(key) ?? {};
      holds(inFlight + queue + waiters === 0, `${textOf(key)}: ${inFlight} in flight, ${queue} queued at the end`);
      const left = this.#told('request-admitted', key) + this.#told('request-withdrawn', key);
      holds(this.#told('request-queued', key) <= left, `${textOf(key)}: told of more queued than ever left the queue`);
    }
    for (const signal of signals) holds(this.#listenersOf(signal) === 0, 'a listener was left on a signal');
  }

  #read(entry: Entry): void {
    const ledger = this.#ledgers.get(entry.key);
    switch (entry.what) {
      case 'asked':
        this.#asked.set(entry.id, entry);
        break;
      case 'waits':
        ledger?.waiting.push({ ...entry, since: ledger.grants.length });
        break;
      case 'admitted':
        this.#answersOnce(entry);
        ledger?.sawEpoch(entry.epoch);
        if (!entry.isPromised) this.#isAdmittedBelowTheCap(entry.key, entry.view);
        if (!entry.isPromised && !entry.isDirect) this.#isServedInTurn(entry, ledger!);
        this.#leaves(entry.id, ledger!);
        break;
      case 'refused':
        this.#answersOnce(entry);
        this.#leaves(entry.id, ledger!);
        break;
      case 'tried':
        if (entry.view === undefined) break;
        this.#isAdmittedBelowTheCap(entry.key, entry.view);
        holds(entry.view.queue === 0, `${entry.key}: admitted past ${entry.view.queue} who wait`);
        break;
      case 'settling':
        this.#settling.push(entry);
        this.#countsAsProof(entry, ledger!);
        break;
      case 'settled':
        this.#settling.pop();
        break;
      case 'told':
        if (ledger !== undefined) this.#changesTheCap(entry, ledger);
        break;
      default:
        break;
    }
  }

  #answersOnce({ id }: Of<'admitted'> | Of<'refused'>): void {
    holds(this.#asked.has(id), `${id} was answered before it was asked`);
    holds(!this.#answered.has(id), `${id} was answered twice`);
    this.#answered.add(id);
  }

  #isAdmittedBelowTheCap(key: string, { inFlight, cap, isCooling }: Of<'admitted'>['view']): void {
    holds(inFlight <= cap, `${key}: admitted as number ${inFlight} at cap ${cap}`);
    holds(!isCooling, `${key}: admitted during a cooldown`);
  }

  #inFlightIsWhatIsOut(key: Key, { tickets }: Standing, { inFlight = 0 }: Partial<BucketSnapshot> = {}): void {
    const out = tickets.filter((ticket) => ticket.key.model === key.model).length;
    holds(inFlight === out, `${textOf(key)}: ${out} tickets are out, ${inFlight} are counted in flight`);
    if (this.#requests === undefined) return;
    const told = this.#told('request-admitted', key) - this.#told('request-settled', key);
    holds(told === out, `${textOf(key)}: ${out} tickets are out, ${told} were told of`);
  }

  #told(type: RequestEvent['type'], { model }: Key): number {
    return this.#requests?.filter((event) => event.type === type && event.key.model === model).length ?? 0;
  }

  #theCapKeepsItsBounds(key: Key, { cap, growthLimit }: BucketSnapshot): void {
    const { floor } = this.#options;
    holds(floor <= cap && cap <= growthLimit, `${textOf(key)}: cap ${cap} between ${floor} and ${growthLimit}`);
  }

  /**
   * First in, first out for one caller; between callers, none is granted twice while another waits ungranted. A promise
   * is heard later than it was settled, so whoever waits by promise is left out, and so is the order around it.
   */
  #isServedInTurn({ id, key, run }: Of<'admitted'>, ledger: Ledger): void {
    const { grants } = ledger;
    const waiting = ledger.waiting.filter((other) => !this.#leaving.has(other.id));
    if (waiting.some(({ isPromised }) => isPromised)) return;
    const eldest = waiting.find((other) => other.run === run);
    holds(eldest?.id === id, `${key}: ${id} was let through before ${eldest?.id} of the same run`);
    for (const other of new Set(waiting.map((one) => one.run))) {
      if (other === run) continue;
      const { since } = waiting.find((one) => one.run === other) as Waiting;
      const ungranted = grants.slice(Math.max(since, grants.lastIndexOf(other) + 1));
      holds(!ungranted.includes(run), `${key}: run ${run} was granted twice while run ${other} waited`);
    }
    grants.push(run);
  }

  #leaves(id: string, ledger: Ledger): void {
    ledger.waiting = ledger.waiting.filter((other) => other.id !== id);
  }

  #countsAsProof({ epoch, ending, isAgain, counts, before }: Of<'settling'>, ledger: Ledger): void {
    if (before === undefined || isAgain) return;
    ledger.sawEpoch(before.epoch);
    const outcome = outcomeOf(ending);
    if (outcome === 'succeed' && counts && epoch === before.epoch) ledger.successes++;
    if (outcome === 'throttle' || outcome === 'fail') ledger.successes = 0;
  }

  /** One wave of refusals cuts at most once; the cap rises only on proof and only if somebody waits. */
  #changesTheCap({ event, view }: Of<'told'>, ledger: Ledger): void {
    if (event.type !== 'concurrency-changed') return;
    const { key, previous, next, reason } = event;
    const settling = this.#settling.at(-1) as Of<'settling'>;
    if (next < previous && reason !== 'limit_lowered' && reason !== 'idle_reset') {
      holds(!ledger.cutEpochs.has(settling.epoch), `${key}: the wave of epoch ${settling.epoch} cut a second time`);
      ledger.cutEpochs.add(settling.epoch);
    }
    if (reason === 'recovered') {
      const { increaseAfterSuccesses } = this.#options;
      holds(
        ledger.successes >= increaseAfterSuccesses,
        `${key}: raised after ${ledger.successes} of ${increaseAfterSuccesses} successes`,
      );
      holds((settling.before?.queue ?? 0) > 0, `${key}: raised though nobody waits`);
      ledger.successes = 0;
    }
    if (view !== undefined) ledger.sawEpoch(view.epoch);
  }
}

/** What an ending comes to, by the outcome table. */
function outcomeOf(ending: Ending): 'succeed' | 'throttle' | 'fail' | 'end' {
  switch (ending.how) {
    case 'settle':
      if (ending.status === 200) return 'succeed';
      if (ending.status === 429 || ending.status === 503) return 'throttle';
      return ending.status === 500 ? 'fail' : 'end';
    case 'release':
    case 'dispose':
      return 'end';
    default:
      return ending.how;
  }
}

function holds(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
