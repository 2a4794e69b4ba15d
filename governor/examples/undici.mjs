// undici's own requests through a governed dispatcher; what the provider refuses, undici's retry interceptor sends again.

import { createGovernor } from '@tidegate/governor';
import { governorInterceptor } from '@tidegate/governor/undici';
import { Agent, interceptors } from 'undici';
import { startProvider } from './local-provider.mjs';

const provider = await startProvider();
const governor = createGovernor();
const key = { provider: 'acme', model: 'large' };

// The first in the list is nearest the wire, so each attempt takes a slot of its own.
const dispatcher = new Agent().compose(
  governorInterceptor(governor, { provider: key.provider }),
  interceptors.retry({ maxRetries: 10, minTimeout: 20, methods: ['POST'], statusCodes: [429, 503] }),
);

const { origin, pathname } = new URL(provider.url);
async function ask(content) {
  const body = JSON.stringify({ model: key.model, messages: [{ role: 'user', content }] });
  const answer = await dispatcher.request({ origin, path: `${pathname}/chat/completions`, method: 'POST', body });
  return answer.body.json();
}

const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => ask(`Hello ${i}`)));
const { cap, inFlight } = governor.snapshot(key);
console.log(`${answers.length} answers: ${answers[0].choices[0].message.content}`);
console.log(`cap ${cap}, in flight ${inFlight}`);
provider.close();
await dispatcher.close();
