/**
 * The luck of a request that no subagent makes: streams of its own, each made when it is first drawn from. What one
 * request draws shifts no other, in whatever order they are sent.
 */

import type { RandomStream, RandomStreams } from '../kernel/random.js';
import type { Luck } from '../transport/transport.js';

export class OwnLuck implements Luck {
  readonly #streams: RandomStreams;
  readonly #label: string;
  #service: RandomStream | undefined;
  #prompt: RandomStream | undefined;
  #mode: RandomStream | undefined;
  #refusal: RandomStream | undefined;
  #hint: RandomStream | undefined;
  #fault: RandomStream | undefined;
  #jitter: RandomStream | undefined;

  constructor(streams: RandomStreams, label: string) {
    this.#streams = streams;
    this.#label = label;
  }

  get service(): RandomStream {
    this.#service ??= this.#stream('service');
    return this.#service;
  }

  get prompt(): RandomStream {
    this.#prompt ??= this.#stream('prompt');
    return this.#prompt;
  }

  get mode(): RandomStream {
    this.#mode ??= this.#stream('mode');
    return this.#mode;
  }

  get refusal(): RandomStream {
    this.#refusal ??= this.#stream('refusal');
    return this.#refusal;
  }

  get hint(): RandomStream {
    this.#hint ??= this.#stream('hint');
    return this.#hint;
  }

  get fault(): RandomStream {
    this.#fault ??= this.#stream('fault');
    return this.#fault;
  }

  /** Spreads the retries. */
  get jitter(): RandomStream {
    this.#jitter ??= this.#stream('jitter');
    return this.#jitter;
  }

  #stream(purpose: string): RandomStream {
    return this.#streams.stream(`${this.#label}/${purpose}`);
  }
}
