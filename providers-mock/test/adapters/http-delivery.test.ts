/** The sending of one exchange, where a whole server would hide the moment that matters. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Delivery } from '../../src/adapters/http-delivery.js';
import { WALL_CLOCK } from '../../src/adapters/wall-clock.js';
import type { Exchange } from '../../src/wire/exchange.js';
import { eventually, RawClient } from './raw-client.js';

describe('a delivery', () => {
  it('gives the place back before the last frame goes out, however long its client takes to read that', async () => {
    const ends: string[] = [];
    // More than the buffers between the two ends take, so that the write of it does not come to an end.
    const frames = [{ afterMs: 0, data: 'x'.repeat(32 * 1024 * 1024) }];
    const head = { status: 200, headers: {}, afterMs: 0, ending: 'end' } as const;
    const exchange: Exchange = {
      keepAlive: null,
      whenReady: (begin) => begin({ ...head, kind: 'streamed', frames }),
      answered: () => ends.push('answered'),
      abandoned: () => ends.push('abandoned'),
    };
    const server = createServer((_, response) => {
      const options = { clock: WALL_CLOCK, date: () => '', keepsAlive: () => true, onError: expect.unreachable };
      new Delivery(response, exchange, options, () => ends.push('ended')).start();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new RawClient((server.address() as AddressInfo).port, { reads: false });
    client.send('GET / HTTP/1.1\r\nhost: mock\r\n\r\n');
    await eventually(() => ends.length > 0);
    expect(ends).toEqual(['answered']);
    client.socket.destroy();
    server.close();
    server.closeAllConnections();
  });
});
