/**
 * Middleware for the language models of the AI SDK: each call of a model is one attempt, which waits for a slot and
 * holds it until the result, or the last part of the stream, is there. Never retries and changes no part.
 */

import type { Governor } from '../gate/governor.js';
import { answerOfError } from '../gate/seen-answer.js';
import type { Key, Ticket } from '../gate/ticket.js';
import { HeldSlot, type HoldingOptions, resolveHolding } from './held-slot.js';
import { heldStream, type StreamWatch } from './held-stream.js';
import { acquireIn, type Scope } from './scope.js';
import { isCallerAbort, settleOnce, settleThrown } from './settling.js';

/** What is read of a `LanguageModelV3` or V4. */
export interface NamedModel {
  /** As `openai.chat`: what follows the first dot names an interface, not whose limits they are. */
  readonly provider: string;
  readonly modelId: string;
}

/** What is read of a call's options. */
export interface CallOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/** Whose requests they are, what their key is, and how long an answer may stand still. */
export interface GovernorMiddlewareOptions extends Scope, HoldingOptions {
  /** Default: the model's provider up to the first dot, and its id. */
  readonly key?: Key | ((model: NamedModel, params: CallOptions) => Key);
}

/** A `LanguageModelV3Middleware`, and a `LanguageModelV4Middleware`. */
export interface GovernorMiddleware {
  readonly specificationVersion: 'v3';
  readonly wrapGenerate: <R>(call: Call & { doGenerate(): PromiseLike<R> }) => Promise<R>;
  readonly wrapStream: <P, R extends { stream: ReadableStream<P> }>(
    call: Call & { doStream(): PromiseLike<R> },
  ) => Promise<R>;
}

interface Call {
  readonly params: CallOptions;
  readonly model: NamedModel;
}

/**
 * For `wrapLanguageModel({ model, middleware: governorMiddleware(governor) })`. It runs once per attempt, so the SDK's
 * `maxRetries` retry with a new slot each. Do not also give the provider a governed `fetch`: a request would take two
 * slots, and wait for itself. @throws RangeError on a bad `bodyTimeoutMs`.
 */
export function governorMiddleware(governor: Governor, options: GovernorMiddlewareOptions = {}): GovernorMiddleware {
  const holding = resolveHolding(options);
  const admitted = ({ model, params }: Call): Promise<Ticket> =>
    acquireIn(options, governor, keyOf(model, params, options), params.abortSignal);
  return {
    specificationVersion: 'v3',
    async wrapGenerate(call) {
      const ticket = await admitted(call);
      const result = await attempted(ticket, call.params, () => call.doGenerate());
      settleOnce(ticket, () => (endsInError(result) ? ticket.fail() : ticket.succeed()));
      return result;
    },
    async wrapStream(call) {
      const ticket = await admitted(call);
      const result = await attempted(ticket, call.params, () => call.doStream());
      const watch = new PartsWatch(new HeldSlot(ticket, holding), call.params.abortSignal);
      return { ...result, stream: heldStream(result.stream, watch) };
    },
  };
}

function keyOf(model: NamedModel, params: CallOptions, { key }: GovernorMiddlewareOptions): Key {
  if (typeof key === 'function') return key(model, params);
  return key ?? { provider: model.provider.split('.', 1)[0]!, model: model.modelId };
}

async function attempted<R>(ticket: Ticket, { abortSignal }: CallOptions, call: () => PromiseLike<R>): Promise<R> {
  try {
    return await call();
  } catch (error) {
    settleThrown(ticket, error, abortSignal, answerOfError(error));
    throw error;
  }
}

/** Follows the parts of a stream. A stream without its `finish` part was cut. */
class PartsWatch implements StreamWatch<unknown> {
  readonly #slot: HeldSlot;
  readonly #signal: AbortSignal | undefined;
  #outputEmitted = false;
  #isFinished = false;

  constructor(slot: HeldSlot, signal: AbortSignal | undefined) {
    this.#slot = slot;
    this.#signal = signal;
  }

  get awaited(): boolean {
    return this.#slot.awaited;
  }

  set awaited(awaited: boolean) {
    this.#slot.awaited = awaited;
  }

  piece(part: unknown): void {
    this.#slot.moved();
    const { type, error } = part as { readonly type?: unknown; readonly error?: unknown };
    if (type === 'error') this.lost(error);
    else if (type === 'finish' && endsInError(part)) this.#slot.settle((ticket) => ticket.fail());
    else if (type === 'finish') this.#isFinished = true;
    else if (OUTPUT.test(String(type))) this.#outputEmitted = true;
  }

  ended(): void {
    this.#slot.settle((ticket) => (this.#isFinished ? ticket.succeed() : ticket.fail()));
  }

  lost(error: unknown): void {
    const isGone = isCallerAbort(error, this.#signal);
    const answer = { ...answerOfError(error), streamPhase: 'mid', outputEmitted: this.#outputEmitted } as const;
    this.#slot.settle((ticket) => (isGone ? ticket.end() : ticket.settle(answer)));
  }

  dropped(): void {
    this.#slot.settle((ticket) => (this.#isFinished ? ticket.succeed() : ticket.end()));
  }
}

const OUTPUT = /-delta$|^(?:tool-call|file|source)$/;

/** `finishReason` is a word, or an object that has it as `unified`. */
function endsInError(result: unknown): boolean {
  const { finishReason } = result as { readonly finishReason?: string | { readonly unified?: unknown } };
  return (typeof finishReason === 'object' ? finishReason.unified : finishReason) === 'error';
}
