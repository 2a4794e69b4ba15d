/** Serves the providers of a scenario as others would be; for tests that run live against them. */

import { type MockServer, startMockServer } from '@tidegate/providers-mock/server';
import { RandomStreams } from '../../src/kernel/random.js';
import { servedProvider } from '../../src/transport/served-provider.js';
import { scenarioText } from '../simulate.js';

/** Close the server that comes back. */
export async function serveMock(text: string): Promise<MockServer> {
  const { providers, seed } = scenarioText(text);
  const streams = new RandomStreams(seed);
  return await startMockServer({
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, one]) => [name, servedProvider(name, one, streams)]),
    ),
    luck: (label) => {
      const stream = streams.stream(label);
      return () => stream.next();
    },
  });
}
