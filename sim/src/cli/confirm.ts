/** Asks on the terminal. Only a plain yes is one. */

import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

export interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Default: as the output is one. */
  readonly terminal?: boolean;
}

/** Whether somebody is there to be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** False for anything but yes, when the interrupt comes first, and when the input ends. */
export async function confirm(
  question: string,
  interrupt: AbortSignal,
  streams: Streams = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const terminal = createInterface(streams);
  // A terminal in the hands of a question gives Ctrl-C to it, and nobody else would hear of it.
  terminal.once('SIGINT', () => {
    process.emit('SIGINT');
    terminal.close();
  });
  try {
    // A question to an input that ends is never answered, nor refused.
    const ended = once(terminal, 'close').then(() => '');
    const answer = await Promise.race([terminal.question(`${question} [y/N] `, { signal: interrupt }), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}
