/**
 * A stand-in for a provider, so that the examples run offline: an OpenAI-compatible server on a loopback port that takes
 * three requests at once and refuses the others. It is no example itself.
 */

import { createServer } from 'node:http';

const LIMIT = 3;
const ANSWER_MS = 15;
const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };

/** @returns {Promise<{ url: string, close(): void }>} */
export async function startProvider() {
  let inFlight = 0;
  const server = createServer(async (request, response) => {
    if (inFlight >= LIMIT) {
      request.resume();
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': '10' });
      response.end('{"error":{"message":"Too many concurrent requests","code":"rate_limit_exceeded"}}');
      return;
    }
    inFlight++;
    response.on('close', () => inFlight--);
    let body = '';
    for await (const chunk of request) body += chunk;
    const { model, stream } = JSON.parse(body);
    setTimeout(() => (stream ? streamAnswer : answer)(response, model), ANSWER_MS);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(response, model) {
  const message = { role: 'assistant', content: 'Hello!' };
  const completion = { id: 'c', object: 'chat.completion', created: 0, model, usage: USAGE };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...completion, choices: [{ index: 0, message, finish_reason: 'stop' }] }));
}

function streamAnswer(response, model) {
  const chunk = (delta, finish_reason = null, usage = null) => {
    const frame = { id: 'c', object: 'chat.completion.chunk', created: 0, model, usage };
    return `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: 'Hel' }));
  response.write(chunk({ content: 'lo!' }));
  response.end(`${chunk({}, 'stop', USAGE)}data: [DONE]\n\n`);
}
