/** vLLM: works on so many sequences at once and lets the rest wait without bound; overload shows as a late first token. */

import { cited, type Profile } from './profile.js';
import { NO_HINT } from './quota-shapes.js';

const FULL = {
  status: 503,
  message: 'Too many queued requests; try again later.',
  fields: { type: 'ServiceUnavailableError' },
};

export const VLLM: Profile = {
  name: 'vllm',
  about: 'One server with a model of 7 to 8 billion parameters on an H100, and its defaults.',
  wire: 'openai',
  refusal: {
    // The code is an integer.
    body: { error: { message: '{message}', type: '{type}', param: null, code: '{status}' } },
    errors: { 'status-503': FULL, 'status-529': FULL },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  },
  quotas: [],
  models: {
    'meta-llama/Llama-3.1-8B-Instruct': {
      quotas: [],
      retryAfter: cited(NO_HINT, 'documented', 'a full queue says nothing of a wait: vllm-project/vllm PR 49445'),
      server: cited(
        { slots: 256, queue: null },
        'documented',
        'max_num_seqs of the server by default, 1,024 on large GPUs: vllm-project/vllm:vllm/engine/arg_utils.py; unbounded queue: issue 58192',
      ),
      latency: cited(
        { firstToken: { medianMs: 32, p95Ms: 40 }, perInputTokenMs: 0.22, perOutputTokenMs: 12.5 },
        'secondary',
        '7–8B on an H100: prefill 25–40 ms + 0.15–0.30 ms per token, 10–15 ms per output token: llm-d/llm-d-inference-sim docs/latency-profiles.md @eec055a',
      ),
    },
  },
};
