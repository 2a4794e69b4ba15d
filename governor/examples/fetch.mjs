// The official OpenAI SDK on a governed fetch: twenty-four requests at once against a key that takes three.

import { createGovernor } from '@tidegate/governor';
import { governedFetch } from '@tidegate/governor/fetch';
import OpenAI from 'openai';
import { startProvider } from './local-provider.mjs';

const provider = await startProvider();
const governor = createGovernor();
governor.onEvent((event) => {
  if (event.type === 'concurrency-changed') console.log(`cap ${event.previous} → ${event.next}, ${event.reason}`);
});

const openai = new OpenAI({
  apiKey: 'none',
  baseURL: provider.url,
  // A refused attempt has given its slot back, and its retry takes a new one. 0 if something above retries already.
  maxRetries: 10,
  fetch: governedFetch(governor, { provider: 'openai' }),
});

const ask = (content) => openai.chat.completions.create({ model: 'gpt', messages: [{ role: 'user', content }] });
const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => ask(`Hello ${i}`)));

const tokens = answers.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
const { cap, inFlight } = governor.snapshot({ provider: 'openai', model: 'gpt' });
console.log(`${answers.length} answers, ${tokens} tokens; cap ${cap}, in flight ${inFlight}`);
provider.close();
