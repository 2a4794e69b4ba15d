// A language model of the AI SDK behind a governor: generated and streamed answers share one cap.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createGovernor } from '@tidegate/governor';
import { governorMiddleware } from '@tidegate/governor/ai-sdk';
import { generateText, streamText, wrapLanguageModel } from 'ai';
import { startProvider } from './local-provider.mjs';

const provider = await startProvider();
const governor = createGovernor({ initial: 6 });
const acme = createOpenAICompatible({ name: 'acme', baseURL: provider.url, includeUsage: true });
const model = wrapLanguageModel({ model: acme('large'), middleware: governorMiddleware(governor) });

async function streamed(prompt) {
  const { textStream, usage } = streamText({ model, prompt, maxRetries: 10 });
  let text = '';
  for await (const word of textStream) text += word;
  return { text, usage: await usage };
}

const answers = await Promise.all(
  Array.from({ length: 12 }, (_, i) =>
    i % 2 === 0 ? generateText({ model, prompt: `Hello ${i}`, maxRetries: 10 }) : streamed(`Hello ${i}`),
  ),
);

const tokens = answers.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
const { cap, inFlight } = governor.snapshot({ provider: 'acme', model: 'large' });
console.log(`${answers.length} answers: ${answers[0].text} ${answers[1].text} ${tokens} tokens`);
console.log(`cap ${cap}, in flight ${inFlight}`);
provider.close();
