/**
 * Scripts for a governor as plain data, their arbitraries, and the story teller that lives one through on a governor,
 * the real or the naive one, and writes down everything that can be seen from outside. It judges nothing.
 */

import fc from 'fast-check';
import { THROTTLE_REASONS, type ThrottleReason } from '../../src/core/controller.js';
import type { BucketSnapshot } from '../../src/gate/bucket-settings.js';
import type { GovernorEvent } from '../../src/gate/events.js';
import type { Waiter, Waiting } from '../../src/gate/queued-request.js';
import type { Key } from '../../src/gate/ticket.js';
import type { NaiveOptions } from './naive-governor.js';

export type Ending =
  | { readonly how: 'succeed' | 'fail' | 'end' | 'release' | 'dispose' }
  | { readonly how: 'throttle'; readonly reason?: ThrottleReason; readonly retryAfterMs?: number }
  | { readonly how: 'settle'; readonly status: number; readonly retryAfter?: string };

/** What a callback does to the governor that calls it, on the key it is called for. */
export type Reaction =
  | { readonly react: 'not' | 'ask' | 'try' | 'throw' | 'look' }
  /** The ticket it was given, or, where it was given none, the oldest on the key. */
  | { readonly react: 'settle' | 'settle-oldest'; readonly ending: Ending }
  | { readonly react: 'abort'; readonly signal: number }
  | { readonly react: 'cancel'; readonly which: number };

/** Keys, runs and signals are slots; signals 0 and 1 belong to a key, signal 2 is shared by all. */
export type Command =
  /** `late`: the timers are not heard before one more command has been given. */
  | { readonly do: 'pass'; readonly ms: number; readonly late?: Command | undefined }
  | {
      readonly do: 'enqueue';
      readonly key: number;
      readonly run: number | undefined;
      readonly signal: number | undefined;
      readonly admitted: Reaction;
      readonly refused: Reaction;
    }
  | {
      readonly do: 'acquire';
      readonly key: number;
      readonly run: number | undefined;
      readonly signal: number | undefined;
    }
  | { readonly do: 'try'; readonly key: number; readonly run: number | undefined }
  | { readonly do: 'observe'; readonly key: number }
  | { readonly do: 'settle' | 'settle-again'; readonly key: number; readonly which: number; readonly ending: Ending }
  /** Everything in flight on the key, as one wave. */
  | { readonly do: 'settle-all'; readonly key: number; readonly ending: Ending }
  | { readonly do: 'abort'; readonly key: number; readonly signal: number; readonly renew: boolean }
  | { readonly do: 'cancel'; readonly key: number; readonly which: number }
  | { readonly do: 'open' | 'retune'; readonly run: number; readonly bound: number | null | undefined }
  | { readonly do: 'replace'; readonly run: number; readonly bound: number | null | undefined }
  | { readonly do: 'close'; readonly run: number }
  | { readonly do: 'look' };

export interface Scenario {
  readonly options: NaiveOptions;
  /** Of the listener, one per event of a key until none is left. */
  readonly listening: readonly Reaction[];
  readonly script: readonly Command[];
  /** Whether somebody listens to what happens to single requests. */
  readonly isWatched: boolean;
  /** Whether the governor is closed with everything still under way, or all work comes to its end. */
  readonly ending: 'closed' | 'worked-off';
}

/** What was in force on the key at the moment of an entry. */
export interface View {
  readonly epoch: number;
  readonly inFlight: number;
  readonly cap: number;
  readonly queue: number;
  readonly isCooling: boolean;
}

export type Entry =
  | { readonly what: 'asked'; readonly key: string; readonly id: string }
  /** Neither admitted nor refused when the call that asked came back. */
  | {
      readonly what: 'waits';
      readonly key: string;
      readonly id: string;
      readonly run: string | undefined;
      readonly isPromised: boolean;
    }
  | {
      readonly what: 'admitted';
      readonly key: string;
      readonly id: string;
      readonly run: string | undefined;
      readonly epoch: number;
      readonly queuedMs: number;
      /** Before the call that asked came back. */
      readonly isDirect: boolean;
      /** Heard through a promise, a turn later than it happened. */
      readonly isPromised: boolean;
      readonly view: View;
    }
  | { readonly what: 'refused'; readonly key: string; readonly id: string; readonly reason: string }
  | {
      readonly what: 'tried';
      readonly key: string;
      readonly run: string | undefined;
      readonly epoch: number | undefined;
      readonly view: View | undefined;
    }
  | { readonly what: 'observing'; readonly key: string; readonly epoch: number }
  | {
      readonly what: 'settling';
      readonly key: string;
      readonly run: string | undefined;
      readonly epoch: number;
      readonly ending: Ending;
      readonly isAgain: boolean;
      /** Whether its success is evidence: an observer's is only if it would have been let in. */
      readonly counts: boolean;
      readonly before: BucketSnapshot | undefined;
    }
  /** The settling call that began last has come back. */
  | { readonly what: 'settled'; readonly key: string }
  | { readonly what: 'told'; readonly key: string; readonly event: GovernorEvent; readonly view: View | undefined }
  | { readonly what: 'amended'; readonly key: string; readonly result: string; readonly bound: number }
  | { readonly what: 'reported'; readonly key: string; readonly error: string };

export interface TicketLike {
  readonly key: Key;
  readonly settled: boolean;
  readonly epoch: number;
  readonly queuedMs: number;
  readonly run: string | undefined;
  succeed(): void;
  throttle(refusal?: { reason?: ThrottleReason; retryAfterMs?: number }): void;
  fail(): void;
  end(): void;
  release(): void;
  settle(answer: { status?: number; headers?: Record<string, string> }): unknown;
  [Symbol.dispose](): void;
}

export interface RunLike {
  readonly id: string;
  readonly bound: number;
  amend(change: { maxConcurrency?: number | null; settings?: unknown }): unknown;
  close(): void;
}

export interface GovernorLike<R extends RunLike> {
  tryAcquire(key: Key, options: { run?: R }): TicketLike | undefined;
  acquire(key: Key, options: { run?: R; signal?: AbortSignal }): Promise<TicketLike>;
  enqueue(key: Key, options: { run?: R; signal?: AbortSignal }, waiter: Waiter): Waiting;
  observer(): { acquire(key: Key): TicketLike };
  openRun(id: string, options: { maxConcurrency?: number | null }): R;
  onEvent(listener: (event: GovernorEvent) => void): unknown;
  snapshot(key: Key): BucketSnapshot | undefined;
  snapshots(): unknown;
  close(): void;
}

/** A governor with the time it lives in and the signals it is given. */
export interface World<R extends RunLike> {
  readonly governor: GovernorLike<R>;
  now(): number;
  pass(ms: number): void;
  jump(ms: number): void;
  abort(controller: AbortController, reason: unknown): void;
  /** What the governor reported as thrown by callbacks, oldest first. */
  readonly reported: readonly unknown[];
}

export const KEYS: readonly Key[] = ['a', 'b', 'c'].map((model) => ({ provider: 'p', model }));

const PLAIN: Reaction = { react: 'not' };

interface Held {
  readonly ticket: TicketLike;
  readonly counts: boolean;
}

export class Story<R extends RunLike> {
  readonly #world: World<R>;
  readonly #listening: Map<string, Reaction[]>;
  readonly #signals = new Map<string, AbortController>();
  readonly #runs = new Map<number, R>();
  readonly #waiting: { readonly id: string; readonly key: string; waiting: Waiting | undefined }[] = [];
  readonly #asked = new Map<string, number>();
  #tickets: Held[] = [];
  #settledTickets: Held[] = [];
  #log: Entry[] = [];
  #reported = 0;
  #promised = 0;
  #opened = 0;

  constructor(world: World<R>, listening: readonly Reaction[]) {
    this.#world = world;
    this.#listening = new Map(KEYS.map((key) => [textOf(key), [...listening]]));
    world.governor.onEvent((event) => {
      const key = 'key' in event ? event.key : event.run;
      this.#log.push({ what: 'told', key, event, view: this.#view(KEYS.find((k) => textOf(k) === key)) });
      const reaction = this.#listening.get(key)?.shift();
      if (reaction !== undefined) this.#react(reaction, keyOf(key), undefined, undefined);
    });
  }

  /** Unsettled tickets. */
  get tickets(): readonly TicketLike[] {
    return this.#tickets.map(({ ticket }) => ticket).filter((ticket) => !ticket.settled);
  }

  /** Requests neither admitted nor refused. */
  get waiting(): readonly string[] {
    return this.#waiting.map(({ id }) => id);
  }

  get signals(): readonly AbortSignal[] {
    return [...this.#signals.values()].map(({ signal }) => signal);
  }

  get bounds(): readonly number[] {
    return [...this.#runs.values()].map(({ bound }) => bound);
  }

  /** Lives one command through and gives what was written down meanwhile. */
  async perform(command: Command): Promise<readonly Entry[]> {
    this.#do(command);
    return this.#written();
  }

  async close(): Promise<readonly Entry[]> {
    this.#world.governor.close();
    return this.#written();
  }

  /** Settles all there is and lets the longest wait pass, once. */
  async workOff(): Promise<readonly Entry[]> {
    for (const ticket of this.tickets) this.#settle({ ticket, counts: true }, { how: 'succeed' });
    this.#world.pass(2_000_000);
    return this.#written();
  }

  async #written(): Promise<readonly Entry[]> {
    // One turn of the event loop lets every promise that was settled meanwhile be heard.
    if (this.#promised > 0) await new Promise(setImmediate);
    for (const error of this.#world.reported.slice(this.#reported)) {
      this.#log.push({ what: 'reported', key: '', error: String(error) });
    }
    this.#reported = this.#world.reported.length;
    const done = this.#tickets.filter(({ ticket }) => ticket.settled);
    this.#settledTickets.push(...done);
    this.#tickets = this.#tickets.filter(({ ticket }) => !ticket.settled);
    const log = this.#log;
    this.#log = [];
    return log;
  }

  #do(command: Command): void {
    const { governor } = this.#world;
    switch (command.do) {
      case 'pass':
        if (command.late !== undefined) {
          this.#world.jump(command.ms);
          this.#do(command.late);
        }
        this.#world.pass(command.late === undefined ? command.ms : 0);
        break;
      case 'enqueue':
        this.#enqueue(KEYS[command.key]!, command);
        break;
      case 'acquire':
        this.#acquire(KEYS[command.key]!, this.#optionsOf(command.key, command));
        break;
      case 'try':
        this.#try(KEYS[command.key]!, this.#runOf(command.run));
        break;
      case 'observe': {
        const key = KEYS[command.key]!;
        const view = this.#view(key);
        const ticket = governor.observer().acquire(key);
        this.#log.push({ what: 'observing', key: textOf(key), epoch: ticket.epoch });
        this.#tickets.push({ ticket, counts: view === undefined || (view.inFlight < view.cap && !view.isCooling) });
        break;
      }
      case 'settle':
        this.#settle(pick(onKey(this.#tickets, command.key), command.which), command.ending);
        break;
      case 'settle-again':
        this.#settle(pick(onKey(this.#settledTickets, command.key), command.which), command.ending);
        break;
      case 'settle-all':
        for (const held of onKey(this.#tickets, command.key)) this.#settle(held, command.ending);
        break;
      case 'abort':
        this.#abort(KEYS[command.key]!, command.signal, command.renew);
        break;
      case 'cancel':
        this.#cancel(KEYS[command.key]!, command.which);
        break;
      case 'open':
        this.#open(command.run, command.bound);
        break;
      case 'retune':
        this.#amend(command.run, stated(command.bound));
        break;
      case 'replace':
        this.#amend(command.run, { ...stated(command.bound), settings: ++this.#opened });
        break;
      case 'close':
        this.#runs.get(command.run)?.close();
        break;
      case 'look':
        governor.snapshots();
        break;
    }
  }

  #enqueue(key: Key, command: Extract<Command, { do: 'enqueue' }>): void {
    this.#ask(key, this.#optionsOf(command.key, command), command.admitted, command.refused);
  }

  #ask(key: Key, options: { run?: R; signal?: AbortSignal }, admitted: Reaction, refused: Reaction): void {
    const id = this.#asks(key);
    let isDirect = true;
    const waiting = this.#world.governor.enqueue(key, options, {
      admitted: (ticket) => {
        this.#admitted(id, ticket as TicketLike, { isDirect, isPromised: false });
        this.#react(admitted, key, options.run, ticket as TicketLike);
      },
      refused: (reason) => {
        this.#refused(id, key, reason);
        this.#react(refused, key, options.run, undefined);
      },
    });
    isDirect = false;
    const entry = this.#waiting.find((other) => other.id === id);
    if (entry === undefined) return;
    entry.waiting = waiting;
    this.#log.push({ what: 'waits', key: textOf(key), id, run: options.run?.id, isPromised: false });
  }

  #acquire(key: Key, options: { run?: R; signal?: AbortSignal }): void {
    const id = this.#asks(key);
    this.#log.push({ what: 'waits', key: textOf(key), id, run: options.run?.id, isPromised: true });
    this.#promised++;
    this.#world.governor.acquire(key, options).then(
      (ticket) => {
        this.#promised--;
        this.#admitted(id, ticket, { isDirect: false, isPromised: true });
      },
      (reason: unknown) => {
        this.#promised--;
        this.#refused(id, key, reason);
      },
    );
  }

  #asks(key: Key): string {
    const n = (this.#asked.get(key.model) ?? 0) + 1;
    this.#asked.set(key.model, n);
    const id = `${key.model}#${n}`;
    this.#log.push({ what: 'asked', key: textOf(key), id });
    this.#waiting.push({ id, key: key.model, waiting: undefined });
    return id;
  }

  #admitted(id: string, ticket: TicketLike, heard: { readonly isDirect: boolean; readonly isPromised: boolean }): void {
    this.#forget(id);
    this.#tickets.push({ ticket, counts: true });
    const { key, run, epoch, queuedMs } = ticket;
    this.#log.push({ what: 'admitted', key: textOf(key), id, run, epoch, queuedMs, ...heard, view: this.#view(key)! });
  }

  #refused(id: string, key: Key, reason: unknown): void {
    this.#forget(id);
    const text = reason instanceof Error || reason instanceof DOMException ? reason.name : String(reason);
    this.#log.push({ what: 'refused', key: textOf(key), id, reason: text });
  }

  #forget(id: string): void {
    const at = this.#waiting.findIndex((other) => other.id === id);
    if (at === -1) throw new Error(`${id} was answered twice`);
    this.#waiting.splice(at, 1);
  }

  #try(key: Key, run: R | undefined): void {
    const ticket = this.#world.governor.tryAcquire(key, run === undefined ? {} : { run });
    if (ticket !== undefined) this.#tickets.push({ ticket, counts: true });
    const view = ticket && this.#view(key);
    this.#log.push({ what: 'tried', key: textOf(key), run: run?.id, epoch: ticket?.epoch, view });
  }

  #settle(held: Held | undefined, ending: Ending): void {
    if (held === undefined) return;
    const { ticket, counts } = held;
    const { key, run, epoch, settled: isAgain } = ticket;
    const before = this.#world.governor.snapshot(key);
    this.#log.push({ what: 'settling', key: textOf(key), run, epoch, ending, isAgain, counts, before });
    settleBy(ticket, ending);
    this.#log.push({ what: 'settled', key: textOf(key) });
  }

  #abort(key: Key, signal: number, renew: boolean): void {
    const slot = slotOf(key, signal);
    const controller = this.#controllerOf(slot);
    if (renew) this.#signals.set(slot, new AbortController());
    this.#world.abort(controller, `signal ${slot} fired`);
  }

  #cancel(key: Key, which: number): void {
    pick(
      this.#waiting.filter((other) => other.key === key.model && other.waiting !== undefined),
      which,
    )?.waiting?.cancel();
  }

  #open(slot: number, bound: number | null | undefined): void {
    this.#runs.get(slot)?.close();
    this.#runs.set(slot, this.#world.governor.openRun(`r${slot}.${++this.#opened}`, stated(bound)));
  }

  #amend(slot: number, change: { maxConcurrency?: number | null; settings?: unknown }): void {
    const run = this.#runs.get(slot);
    if (run === undefined) return;
    const result = run.amend(change) as { kind: string; reason?: string; run?: R };
    if (result.run !== undefined) this.#runs.set(slot, result.run);
    const { id, bound } = result.run ?? run;
    this.#log.push({ what: 'amended', key: id, result: `${result.kind} ${result.reason ?? ''}`, bound });
  }

  #react(reaction: Reaction, key: Key | undefined, run: R | undefined, ticket: TicketLike | undefined): void {
    if (key === undefined) return;
    switch (reaction.react) {
      case 'not':
        break;
      case 'ask':
        this.#ask(key, run === undefined ? {} : { run }, PLAIN, PLAIN);
        break;
      case 'try':
        this.#try(key, run);
        break;
      case 'throw':
        throw new Error(`thrown on purpose on ${textOf(key)}`);
      case 'look':
        this.#world.governor.snapshots();
        break;
      case 'settle':
      case 'settle-oldest': {
        const oldest = this.#tickets.find((held) => !held.ticket.settled && held.ticket.key.model === key.model);
        const given = ticket === undefined ? undefined : { ticket, counts: true };
        this.#settle(reaction.react === 'settle' ? (given ?? oldest) : oldest, reaction.ending);
        break;
      }
      case 'abort':
        this.#abort(key, reaction.signal, true);
        break;
      case 'cancel':
        this.#cancel(key, reaction.which);
        break;
    }
  }

  #optionsOf(
    key: number,
    asked: { readonly run: number | undefined; readonly signal: number | undefined },
  ): { run?: R; signal?: AbortSignal } {
    const run = this.#runOf(asked.run);
    const slot = asked.signal === undefined ? undefined : slotOf(KEYS[key]!, asked.signal);
    return {
      ...(run === undefined ? {} : { run }),
      ...(slot === undefined ? {} : { signal: this.#controllerOf(slot).signal }),
    };
  }

  #runOf(slot: number | undefined): R | undefined {
    return slot === undefined ? undefined : this.#runs.get(slot);
  }

  #controllerOf(slot: string): AbortController {
    const controller = this.#signals.get(slot) ?? new AbortController();
    this.#signals.set(slot, controller);
    return controller;
  }

  #view(key: Key | undefined): View | undefined {
    const snapshot = key && this.#world.governor.snapshot(key);
    if (snapshot === undefined) return undefined;
    const { epoch, inFlight, cap, queue, cooldownUntil = Number.NEGATIVE_INFINITY } = snapshot;
    return { epoch, inFlight, cap, queue, isCooling: this.#world.now() < cooldownUntil };
  }
}

export function textOf({ provider, model }: Key): string {
  return `${provider}/${model}`;
}

function keyOf(text: string): Key | undefined {
  return KEYS.find((key) => textOf(key) === text);
}

function slotOf(key: Key, signal: number): string {
  return signal === 2 ? 'shared' : `${key.model}${signal}`;
}

function onKey(held: readonly Held[], key: number): readonly Held[] {
  return held.filter(({ ticket }) => ticket.key.model === KEYS[key]!.model);
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from[which % from.length];
}

function stated(bound: number | null | undefined): { maxConcurrency?: number | null } {
  return bound === undefined ? {} : { maxConcurrency: bound };
}

function settleBy(ticket: TicketLike, ending: Ending): void {
  switch (ending.how) {
    case 'throttle': {
      const { how: _, ...refusal } = ending;
      ticket.throttle(refusal);
      break;
    }
    case 'settle':
      ticket.settle({
        status: ending.status,
        ...(ending.retryAfter === undefined ? {} : { headers: { 'retry-after': ending.retryAfter } }),
      });
      break;
    case 'dispose':
      ticket[Symbol.dispose]();
      break;
    default:
      ticket[ending.how]();
  }
}

const slot = (count: number): fc.Arbitrary<number> => fc.nat({ max: count - 1 });
const which = (): fc.Arbitrary<number> => fc.nat({ max: 30 });

/** Mostly one key, so that something happens on it. */
const key = (): fc.Arbitrary<number> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.constant(1) }, fc.constant(2));

const maybe = <T>(arbitrary: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight, arbitrary });

const ending = (): fc.Arbitrary<Ending> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Ending>({ how: 'succeed' }) },
    {
      weight: 4,
      arbitrary: fc.record(
        {
          how: fc.constant('throttle' as const),
          reason: fc.constantFrom(...THROTTLE_REASONS),
          retryAfterMs: fc.constantFrom(0, 1, 1_000, 2_000, 30_000, 400_000, 3_000_000),
        },
        { requiredKeys: ['how'] },
      ),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        how: fc.constantFrom('fail' as const, 'end' as const, 'release' as const, 'dispose' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          how: fc.constant('settle' as const),
          status: fc.constantFrom(200, 429, 503, 500, 401, 400),
          retryAfter: fc.constantFrom('0', '2'),
        },
        { requiredKeys: ['how', 'status'] },
      ),
    },
  );

const reaction = (): fc.Arbitrary<Reaction> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(PLAIN) },
    {
      weight: 4,
      arbitrary: fc.record({ react: fc.constantFrom('settle' as const, 'settle-oldest' as const), ending: ending() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        react: fc.constantFrom('ask' as const, 'try' as const, 'throw' as const, 'look' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ react: fc.constant('abort' as const), signal: slot(2) }) },
    { weight: 1, arbitrary: fc.record({ react: fc.constant('cancel' as const), which: which() }) },
  );

const bound = (): fc.Arbitrary<number | null | undefined> =>
  fc.constantFrom<number | null | undefined>(undefined, null, 1, 2, 3, 5, 9, 12.5, 30, -4);

const passedMs = (): fc.Arbitrary<number> =>
  fc.constantFrom(0, 1, 100, 250, 1_000, 2_000, 30_000, 299_999, 300_000, 1_200_000, 1_200_000);

const command = (): fc.Arbitrary<Command> =>
  fc.oneof(
    { weight: 44, arbitrary: promptCommand() },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('pass' as const), ms: passedMs(), late: promptCommand() }),
    },
  );

const promptCommand = (): fc.Arbitrary<Command> =>
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({
        do: fc.constant('enqueue' as const),
        key: key(),
        run: maybe(slot(6), 3),
        signal: maybe(slot(3), 1),
        admitted: reaction(),
        refused: reaction(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('acquire' as const),
        key: key(),
        run: maybe(slot(6), 3),
        signal: maybe(slot(3), 1),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('try' as const), key: key(), run: maybe(slot(6), 1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('observe' as const), key: key() }) },
    {
      weight: 9,
      arbitrary: fc.record({ do: fc.constant('settle' as const), key: key(), which: which(), ending: ending() }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('settle-all' as const), key: key(), ending: ending() }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('settle-again' as const), key: key(), which: which(), ending: ending() }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: passedMs(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('abort' as const), key: key(), signal: slot(3), renew: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), key: key(), which: which() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('open' as const), run: slot(6), bound: bound() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('retune' as const), run: slot(6), bound: bound() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), run: slot(6), bound: bound() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), run: slot(6) }) },
    { weight: 1, arbitrary: fc.constant<Command>({ do: 'look' }) },
  );

const options = (): fc.Arbitrary<NaiveOptions> =>
  fc
    .record({
      initial: fc.integer({ min: 1, max: 6 }),
      floor: fc.integer({ min: 1, max: 2 }),
      decreaseFactor: fc.constantFrom(0.75, 0.5),
      increaseAfterSuccesses: fc.integer({ min: 1, max: 3 }),
      idleResetMs: fc.constantFrom(300_000, 5_000),
      rememberGood: fc.constantFrom(true, true, false),
      growthFactor: fc.constantFrom(1, 1.5, 2),
      maxCooldownMs: fc.constantFrom(900_000, 20_000),
      resumeStaggerMs: fc.constantFrom(0, 0, 250),
      maxQueue: fc.constantFrom(undefined, undefined, 4),
    })
    .map(({ maxQueue, ...rest }) => ({
      ...rest,
      floor: Math.min(rest.floor, rest.initial),
      ...(maxQueue === undefined ? {} : { maxQueue }),
    }));

export function scenarios(): fc.Arbitrary<Scenario> {
  return fc.record({
    options: options(),
    listening: fc.array(reaction(), { maxLength: 6 }),
    script: fc.array(command(), { maxLength: 60, size: 'max' }),
    isWatched: fc.boolean(),
    ending: fc.constantFrom('closed' as const, 'worked-off' as const),
  });
}
