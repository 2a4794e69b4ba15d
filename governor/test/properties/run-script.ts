/**
 * Scripts for a run and its subagents as plain data, and the story teller that lives one through on a run, the real or
 * the naive one, and writes down who was started, let through and refused, in order. It judges nothing.
 */

import fc from 'fast-check';
import type { Waiter, Waiting } from '../../src/gate/queued-request.js';
import type { Key } from '../../src/gate/ticket.js';

export type RunReaction =
  | { readonly react: 'not' | 'settle' | 'end' | 'end-oldest' | 'settle-oldest' }
  /** Starts one more subagent. */
  | { readonly react: 'start' }
  | { readonly react: 'ask'; readonly key: number };

export type RunCommand =
  | {
      readonly do: 'start';
      readonly name: number;
      readonly inside: number | undefined;
      readonly signal: number | undefined;
      readonly started: RunReaction;
    }
  | {
      readonly do: 'ask';
      readonly who: number;
      readonly key: number;
      readonly insideTool: boolean;
      readonly signal: number | undefined;
      readonly admitted: RunReaction;
      readonly refused: RunReaction;
    }
  | { readonly do: 'try'; readonly who: number; readonly key: number }
  | { readonly do: 'settle'; readonly which: number }
  | { readonly do: 'end' | 'abandon' | 'end-again'; readonly who: number }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'abort'; readonly signal: number }
  | { readonly do: 'retune'; readonly bound: number | null };

export interface RunScenario {
  readonly bound: number | null;
  readonly script: readonly RunCommand[];
  readonly ending: 'closed' | 'worked-off';
}

interface TicketLike {
  succeed(): void;
}

export interface AskLike {
  readonly name: string;
  tryAcquire(key: Key): TicketLike | undefined;
  enqueue(key: Key, options: { signal?: AbortSignal; insideTool?: boolean }, waiter: Waiter): Waiting;
  end(): void;
  abandon(): void;
}

export interface SeatedRun<A extends AskLike> {
  readonly bound: number;
  enqueue(
    name: string,
    options: { signal?: AbortSignal; parent?: A },
    starter: { started(ask: A): void; refused(reason: unknown): void },
  ): Waiting;
  amend(change: { maxConcurrency?: number | null }): unknown;
  close(): void;
}

export const RUN_KEYS: readonly Key[] = ['wide', 'narrow'].map((model) => ({ provider: 'p', model }));

const NOT: RunReaction = { react: 'not' };

export class RunStory<A extends AskLike> {
  readonly #run: SeatedRun<A>;
  readonly #abort: (controller: AbortController) => void;
  readonly #signals = new Map<number, AbortController>();
  readonly signals: AbortSignal[] = [];
  /** Subagents that were started and have not been ended by this story, oldest first. */
  #live: A[] = [];
  readonly #ended: A[] = [];
  #tickets: TicketLike[] = [];
  readonly #waiting = new Map<string, Waiting | undefined>();
  #asked = 0;
  /** Names of the subagents that reactions start: beyond those of the script. */
  #further = 100;
  #log: string[] = [];

  constructor(run: SeatedRun<A>, abort: (controller: AbortController) => void) {
    this.#run = run;
    this.#abort = abort;
  }

  /** Starts and requests that were neither granted nor refused. */
  get waiting(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  perform(command: RunCommand): readonly string[] {
    this.#do(command);
    return this.#written();
  }

  close(): readonly string[] {
    this.#run.close();
    return this.#written();
  }

  /** Everything in flight succeeds, then the oldest subagent ends; who is left is written down. */
  workOff(): readonly string[] {
    for (const ticket of this.#tickets.splice(0)) ticket.succeed();
    this.#end(this.#live[0], 'end');
    return this.#written();
  }

  get isDone(): boolean {
    return this.#live.length === 0 && this.#tickets.length === 0;
  }

  #written(): readonly string[] {
    const log = this.#log;
    this.#log = [];
    return log;
  }

  #do(command: RunCommand): void {
    switch (command.do) {
      case 'start':
        this.#start(command);
        break;
      case 'ask': {
        const ask = pick(this.#live, command.who);
        if (ask !== undefined) this.#ask(ask, command.key, command, command.admitted, command.refused);
        break;
      }
      case 'try': {
        const ask = pick(this.#live, command.who);
        const ticket = ask?.tryAcquire(RUN_KEYS[command.key]!);
        if (ticket !== undefined) this.#tickets.push(ticket);
        this.#log.push(`${ask?.name} tried: ${ticket !== undefined}`);
        break;
      }
      case 'settle':
        this.#settle(pick(this.#tickets, command.which));
        break;
      case 'end':
      case 'abandon':
        this.#end(pick(this.#live, command.who), command.do);
        break;
      case 'end-again':
        pick(this.#ended, command.who)?.end();
        break;
      case 'cancel':
        pick([...this.#waiting.values()], command.which)?.cancel();
        break;
      case 'abort': {
        const controller = this.#controllerOf(command.signal);
        this.#signals.delete(command.signal);
        this.#abort(controller);
        break;
      }
      case 'retune': {
        const { kind } = this.#run.amend({ maxConcurrency: command.bound }) as { kind: string };
        this.#log.push(`${kind}: ${this.#run.bound}`);
        break;
      }
    }
  }

  #start({ name, inside, signal, started }: Extract<RunCommand, { do: 'start' }>): void {
    const parent = inside === undefined ? undefined : pick([...this.#live, ...this.#ended], inside);
    const id = `start ${++this.#asked}`;
    this.#waiting.set(id, undefined);
    const waiting = this.#run.enqueue(
      `n${name}`,
      { ...this.#signalOption(signal), ...(parent === undefined ? {} : { parent }) },
      {
        started: (ask) => {
          this.#answered(id, `started ${ask.name}`);
          this.#live.push(ask);
          this.#react(started, ask, undefined);
        },
        refused: (reason) => this.#answered(id, `refused: ${nameOf(reason)}`),
      },
    );
    if (this.#waiting.has(id)) this.#waiting.set(id, waiting);
  }

  #ask(
    ask: A,
    key: number,
    options: { readonly insideTool?: boolean; readonly signal?: number | undefined },
    admitted: RunReaction,
    refused: RunReaction,
  ): void {
    const id = `request ${++this.#asked} of ${ask.name}`;
    this.#waiting.set(id, undefined);
    const waiting = ask.enqueue(
      RUN_KEYS[key]!,
      { ...this.#signalOption(options.signal), insideTool: options.insideTool ?? false },
      {
        admitted: (ticket) => {
          this.#answered(id, 'admitted');
          this.#tickets.push(ticket);
          this.#react(admitted, ask, ticket);
        },
        refused: (reason) => {
          this.#answered(id, `refused: ${nameOf(reason)}`);
          this.#react(refused, ask, undefined);
        },
      },
    );
    if (this.#waiting.has(id)) this.#waiting.set(id, waiting);
  }

  #answered(id: string, how: string): void {
    if (!this.#waiting.delete(id)) throw new Error(`${id} was answered twice`);
    this.#log.push(`${id}: ${how}`);
  }

  #settle(ticket: TicketLike | undefined): void {
    if (ticket === undefined) return;
    this.#tickets = this.#tickets.filter((other) => other !== ticket);
    ticket.succeed();
  }

  #end(ask: A | undefined, how: 'end' | 'abandon'): void {
    if (ask === undefined) return;
    this.#live = this.#live.filter((other) => other !== ask);
    this.#ended.push(ask);
    ask[how]();
  }

  #react(reaction: RunReaction, ask: A, ticket: TicketLike | undefined): void {
    switch (reaction.react) {
      case 'settle':
        this.#settle(ticket);
        break;
      case 'settle-oldest':
        this.#settle(this.#tickets[0]);
        break;
      case 'end':
        this.#end(ask, 'end');
        break;
      case 'end-oldest':
        this.#end(this.#live[0], 'end');
        break;
      case 'start':
        this.#start({ do: 'start', name: ++this.#further, inside: undefined, signal: undefined, started: NOT });
        break;
      case 'ask':
        this.#ask(ask, reaction.key, {}, NOT, NOT);
        break;
      default:
        break;
    }
  }

  #signalOption(slot: number | undefined): { signal?: AbortSignal } {
    return slot === undefined ? {} : { signal: this.#controllerOf(slot).signal };
  }

  #controllerOf(slot: number): AbortController {
    const known = this.#signals.get(slot);
    if (known !== undefined) return known;
    const controller = new AbortController();
    this.#signals.set(slot, controller);
    this.signals.push(controller.signal);
    return controller;
  }
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from[which % from.length];
}

function nameOf(reason: unknown): string {
  return reason instanceof Error || reason instanceof DOMException ? reason.name : String(reason);
}

const who = (): fc.Arbitrary<number> => fc.nat({ max: 12 });
const key = (): fc.Arbitrary<number> => fc.constantFrom(0, 0, 1);
const signal = (): fc.Arbitrary<number | undefined> => fc.constantFrom(undefined, undefined, 0, 1);

const reaction = (): fc.Arbitrary<RunReaction> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(NOT) },
    {
      weight: 3,
      arbitrary: fc.record({
        react: fc.constantFrom(
          'settle' as const,
          'end' as const,
          'end-oldest' as const,
          'settle-oldest' as const,
          'start' as const,
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ react: fc.constant('ask' as const), key: key() }) },
  );

const command = (): fc.Arbitrary<RunCommand> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('start' as const),
        name: fc.nat({ max: 9 }),
        inside: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: who() }),
        signal: signal(),
        started: reaction(),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        who: who(),
        key: key(),
        insideTool: fc.boolean(),
        signal: signal(),
        admitted: reaction(),
        refused: reaction(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('try' as const), who: who(), key: key() }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('settle' as const), which: who() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('end' as const, 'abandon' as const, 'end-again' as const),
        who: who(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: who() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('abort' as const), signal: fc.nat({ max: 1 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('retune' as const), bound: fc.constantFrom(null, 1, 1, 2, 3, 6, 0, 2.5) }),
    },
  );

export function runScenarios(): fc.Arbitrary<RunScenario> {
  return fc.record({
    bound: fc.constantFrom(null, 1, 2, 4),
    script: fc.array(command(), { maxLength: 60, size: 'max' }),
    ending: fc.constantFrom('closed' as const, 'worked-off' as const, 'worked-off' as const),
  });
}
