// LangChain through a governed fetch, in a run of its own: four subagents at once, whatever the key would take.

import { ChatOpenAI } from '@langchain/openai';
import { createGovernor } from '@tidegate/governor';
import { governedFetch } from '@tidegate/governor/fetch';
import { startProvider } from './local-provider.mjs';

const provider = await startProvider();
const governor = createGovernor();
const run = governor.openRun('review', { maxConcurrency: 4 });

async function review(file) {
  const ask = await run.start(file);
  const fetch = governedFetch(governor, { provider: 'openai', ask });
  const configuration = { baseURL: provider.url, fetch };
  const chat = new ChatOpenAI({ model: 'gpt', apiKey: 'none', maxRetries: 0, configuration });
  let stream;
  while (stream === undefined) {
    // No sleep after a refusal: the next attempt waits at the gate for as long as the provider asked.
    stream = await chat.stream(`Review ${file}`).catch((error) => {
      if (error.status !== 429) throw error;
    });
  }
  let text = '';
  for await (const { content } of stream) text += content;
  ask.end(text);
  return text;
}

const reviews = await Promise.all(Array.from({ length: 12 }, (_, i) => review(`file-${i}.ts`)));
const { cap, inFlight } = governor.snapshot({ provider: 'openai', model: 'gpt' });
console.log(`${reviews.length} reviews: ${reviews[0]}`);
console.log(`cap ${cap}, in flight ${inFlight}; the run's bound is ${run.bound}`);
run.close();
provider.close();
