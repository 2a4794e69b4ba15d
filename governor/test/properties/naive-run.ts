/**
 * A run's seats said naively: one list of who sits, one of who waits to start, one of who is parked, counted anew at every
 * question. Below it a gate that lets a fixed number through per key, in order of arrival. For comparison with the real
 * thing in `runs.test.ts`.
 */

import type { Waiter, Waiting } from '../../src/gate/queued-request.js';
import type { Key } from '../../src/gate/ticket.js';

interface GateRequest {
  readonly key: Key;
  readonly waiter: Waiter;
  readonly signal: AbortSignal | undefined;
  /** Place among all who began to wait, in whichever line. */
  order: number;
}

/** Subagents that share one seat: the one that sat down, and those started inside its tools. */
interface Seat {
  readonly holder: NaiveAsk;
  members: NaiveAsk[];
  /** Requests of the holder that wait for a seat: while there are any, it has none. */
  parked: GateRequest[];
}

interface Start {
  readonly ask: NaiveAsk;
  readonly starter: { started(ask: NaiveAsk): void; refused(reason: unknown): void };
  readonly signal: AbortSignal | undefined;
  readonly order: number;
}

const NOTHING_TO_CANCEL: Waiting = { cancel() {} };
const cancelled = (): Error => Object.assign(new Error('cancelled'), { name: 'AbortError' });

export class NaiveAsk {
  readonly name: string;
  readonly run: NaiveRun;
  seat: Seat | undefined;
  isEnded = false;

  constructor(run: NaiveRun, name: string) {
    this.run = run;
    this.name = name;
  }

  tryAcquire(key: Key): { succeed(): void } | undefined {
    if (this.isEnded || this.run.mustPark(this)) return undefined;
    return this.run.open && this.run.gateIsOpen(key) ? this.run.admit(key) : undefined;
  }

  enqueue(key: Key, { signal, insideTool = false }: AskingOptions, waiter: Waiter): Waiting {
    const { run } = this;
    const refuse = (reason: unknown): Waiting => {
      waiter.refused(reason);
      return NOTHING_TO_CANCEL;
    };
    if (signal?.aborted) return refuse(signal.reason);
    if (!run.open) return refuse(Object.assign(new Error(), { name: 'RunClosedError' }));
    if (this.isEnded) return refuse(new Error('ended'));
    const request: GateRequest = { key, waiter, signal, order: run.nextOrder() };
    if (!insideTool && run.mustPark(this)) run.park(this, request);
    else run.toGate(request);
    return { cancel: (reason: unknown = cancelled()) => run.withdraw([request], reason) };
  }

  end(): void {
    this.run.end(this);
  }

  abandon(): void {
    this.run.end(this);
  }
}

export interface AskingOptions {
  readonly signal?: AbortSignal;
  readonly insideTool?: boolean;
}

export class NaiveRun {
  readonly #defaultBound: number;
  readonly #caps: Readonly<Record<string, number>>;
  #stated: number | null;
  open = true;
  #starts: Start[] = [];
  #seats: Seat[] = [];
  /** Seats whose holder is parked, the longest parked first. */
  #parkedSeats: Seat[] = [];
  #queue: GateRequest[] = [];
  readonly #inFlight: Record<string, number> = {};
  #order = 0;
  #isSeating = false;
  /** Keys at which somebody is being let in: whoever joins meanwhile queues. */
  readonly #lettingIn = new Set<string>();

  constructor(defaultBound: number, stated: number | null, caps: Readonly<Record<string, number>>) {
    this.#defaultBound = defaultBound;
    this.#stated = stated;
    this.#caps = caps;
  }

  get bound(): number {
    return this.#stated ?? this.#defaultBound;
  }

  /** Subagents that hold a seat now. */
  get working(): number {
    return this.#seats.length - this.#parkedSeats.length;
  }

  /** Starts and parked subagents that wait for a seat. */
  get longing(): number {
    return this.#starts.length + this.#parkedSeats.length;
  }

  enqueue(
    name: string,
    { signal, parent }: { signal?: AbortSignal; parent?: NaiveAsk },
    starter: Start['starter'],
  ): Waiting {
    const refuse = (reason: unknown): Waiting => {
      starter.refused(reason);
      return NOTHING_TO_CANCEL;
    };
    if (signal?.aborted) return refuse(signal.reason);
    if (!this.open) return refuse(Object.assign(new Error(), { name: 'RunClosedError' }));
    if (this.#names().includes(name)) return refuse(new RangeError('live already'));
    if (parent?.isEnded) return refuse(new RangeError('its parent has ended'));
    const ask = new NaiveAsk(this, name);
    if (parent?.seat !== undefined) {
      ask.seat = parent.seat;
      parent.seat.members.push(ask);
      starter.started(ask);
      return NOTHING_TO_CANCEL;
    }
    const start: Start = { ask, starter, signal, order: this.nextOrder() };
    if (this.#starts.length === 0 && this.#seats.length < this.bound) {
      this.#sit(start);
      return NOTHING_TO_CANCEL;
    }
    this.#starts.push(start);
    return { cancel: (reason: unknown = cancelled()) => this.#refuseStarts([start], reason) };
  }

  amend({ maxConcurrency }: { maxConcurrency?: number | null }): unknown {
    if (!this.open) return { kind: 'refused' };
    if (maxConcurrency === undefined) return { kind: 'refused' };
    const stated = maxConcurrency === null ? null : Math.max(1, Math.floor(maxConcurrency));
    if (stated === this.#stated) return { kind: 'refused' };
    this.#stated = stated;
    this.#giveSeats();
    return { kind: 'retuned' };
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    const reason = Object.assign(new Error(), { name: 'RunClosedError' });
    const starts = this.#starts;
    const requests = [...this.#seats.flatMap((seat) => seat.parked), ...this.#queue];
    this.#starts = [];
    this.#queue = [];
    for (const seat of this.#seats) seat.parked = [];
    for (const { starter } of starts) starter.refused(reason);
    for (const { waiter } of requests) waiter.refused(reason);
  }

  /** The signal has just fired: all who wait on it leave, then they are told in the order in which they began to wait. */
  abort(signal: AbortSignal): void {
    const requests = [...this.#seats.flatMap((seat) => seat.parked), ...this.#queue];
    const starts = this.#starts.filter((start) => start.signal === signal);
    const mine = requests.filter((request) => request.signal === signal);
    this.#starts = this.#starts.filter((start) => start.signal !== signal);
    for (const request of mine) this.#takeOut(request);
    for (const who of [...starts, ...mine].sort((a, b) => a.order - b.order)) {
      ('starter' in who ? who.starter : who.waiter).refused(signal.reason);
      if ('key' in who) this.#letIn(who.key.model);
    }
  }

  /** Whether a request of this subagent, not made inside a tool, has to wait for a seat. */
  mustPark(ask: NaiveAsk): boolean {
    const { seat } = ask;
    if (seat === undefined || seat.holder !== ask) return false;
    return this.#parkedSeats.includes(seat) || this.working > this.bound;
  }

  park({ seat }: NaiveAsk, request: GateRequest): void {
    if (seat === undefined) return;
    if (!this.#parkedSeats.includes(seat)) this.#parkedSeats.push(seat);
    seat.parked.push(request);
  }

  gateIsOpen({ model }: Key): boolean {
    return !this.#queue.some(({ key }) => key.model === model) && this.#hasRoom(model);
  }

  admit({ model }: Key): { succeed(): void } {
    this.#inFlight[model] = (this.#inFlight[model] ?? 0) + 1;
    let isSettled = false;
    return {
      succeed: () => {
        if (isSettled) return;
        isSettled = true;
        this.#inFlight[model] = (this.#inFlight[model] as number) - 1;
        this.#letIn(model);
      },
    };
  }

  nextOrder(): number {
    return this.#order++;
  }

  toGate(request: GateRequest): void {
    request.order = this.nextOrder();
    this.#queue.push(request);
    this.#letIn(request.key.model);
  }

  withdraw(requests: readonly GateRequest[], reason: unknown): void {
    for (const request of requests) {
      if (!this.#takeOut(request)) continue;
      request.waiter.refused(reason);
      this.#letIn(request.key.model);
    }
  }

  end(ask: NaiveAsk): void {
    const { seat } = ask;
    if (ask.isEnded || seat === undefined) return;
    ask.isEnded = true;
    const parked = seat.holder === ask ? seat.parked : [];
    if (seat.holder === ask) seat.parked = [];
    seat.members = seat.members.filter((member) => member !== ask);
    if (seat.members.length > 0)
      this.#parkedSeats = this.#parkedSeats.filter((other) => other !== seat || parked.length === 0);
    for (const { waiter } of parked) waiter.refused(new Error('it ended'));
    if (!this.open) return;
    if (seat.members.length === 0) {
      this.#seats = this.#seats.filter((other) => other !== seat);
      this.#parkedSeats = this.#parkedSeats.filter((other) => other !== seat);
    }
    this.#giveSeats();
  }

  #names(): readonly string[] {
    return [...this.#seats.flatMap(({ members }) => members), ...this.#starts.map(({ ask }) => ask)].map(
      ({ name }) => name,
    );
  }

  #sit({ ask, starter }: Start): void {
    const seat: Seat = { holder: ask, members: [ask], parked: [] };
    ask.seat = seat;
    this.#seats.push(seat);
    starter.started(ask);
  }

  #refuseStarts(starts: readonly Start[], reason: unknown): void {
    for (const start of starts) {
      if (!this.#starts.includes(start)) continue;
      this.#starts = this.#starts.filter((other) => other !== start);
      start.starter.refused(reason);
    }
  }

  /** Free seats go to the parked first, then to those who wait to start. */
  #giveSeats(): void {
    if (this.#isSeating) return;
    this.#isSeating = true;
    for (;;) {
      const [parked] = this.#parkedSeats;
      const [start] = this.#starts;
      if (parked !== undefined && this.working < this.bound) {
        this.#parkedSeats = this.#parkedSeats.slice(1);
        while (parked.parked.length > 0) this.toGate(parked.parked.shift() as GateRequest);
      } else if (start !== undefined && this.#seats.length < this.bound) {
        this.#starts = this.#starts.slice(1);
        this.#sit(start);
      } else break;
    }
    this.#isSeating = false;
  }

  #hasRoom(model: string): boolean {
    return (this.#inFlight[model] ?? 0) < (this.#caps[model] as number);
  }

  #letIn(model: string): void {
    if (this.#lettingIn.has(model)) return;
    this.#lettingIn.add(model);
    for (;;) {
      const next = this.#queue.find(({ key }) => key.model === model);
      if (next === undefined || !this.#hasRoom(model)) break;
      this.#queue = this.#queue.filter((other) => other !== next);
      next.waiter.admitted(this.admit(next.key) as never);
    }
    this.#lettingIn.delete(model);
  }

  /** Out of whichever line it is in; a subagent with nothing left in the parking line works on without a seat. */
  #takeOut(request: GateRequest): boolean {
    const seat = this.#seats.find(({ parked }) => parked.includes(request));
    if (seat === undefined) {
      const wasQueued = this.#queue.includes(request);
      this.#queue = this.#queue.filter((other) => other !== request);
      return wasQueued;
    }
    seat.parked = seat.parked.filter((other) => other !== request);
    if (seat.parked.length === 0) this.#parkedSeats = this.#parkedSeats.filter((other) => other !== seat);
    return true;
  }
}
