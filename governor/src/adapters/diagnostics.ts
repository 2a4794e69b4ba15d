/**
 * A governor's events on `node:diagnostics_channel`, one channel per type of event, for whoever subscribes by name.
 * Publishes what it hears and nothing else.
 */

import type { GovernorEvent } from '../gate/events.js';
import type { Governor } from '../gate/governor.js';
import type { RequestEvent } from '../gate/request-events.js';

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface DiagnosticsChannel {
  channel(name: string): Channel;
}

interface WithBuiltinModules {
  readonly process?: { readonly getBuiltinModule?: (id: string) => DiagnosticsChannel | undefined };
}

/**
 * Publishes each event on `tidegate:<type>`: those of `onEvent` (`tidegate:concurrency-changed`, …) and of `onRequest`
 * (`tidegate:request-settled`, …). Returns what stops it. Where there is no diagnostics_channel, as in a browser, nobody
 * can subscribe and nothing is done.
 */
export function publishDiagnostics(governor: Governor): () => void {
  // Asked for at run time, so that a bundle for a browser has nothing of Node in it.
  const { process } = globalThis as WithBuiltinModules;
  const diagnostics = process?.getBuiltinModule?.('node:diagnostics_channel');
  if (diagnostics === undefined) return () => {};
  const channels = new Map<string, Channel>();
  const publish = (event: GovernorEvent | RequestEvent): void => {
    let channel = channels.get(event.type);
    if (channel === undefined) {
      channel = diagnostics.channel(`tidegate:${event.type}`);
      channels.set(event.type, channel);
    }
    if (channel.hasSubscribers) channel.publish(event);
  };
  const stops = [governor.onEvent(publish), governor.onRequest(publish)];
  return () => {
    for (const stop of stops) stop();
  };
}
