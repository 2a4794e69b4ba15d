/** Ollama: one request at a time by default, 512 waiting in silence, and a 503 for one more. */

import { cited, type Profile } from './profile.js';
import { NO_HINT } from './quota-shapes.js';

const SOURCE = 'ollama/ollama:envconfig/config.go, server/sched.go @fb30760';
const BUSY = { status: 503, message: 'server busy, please try again.  maximum pending requests exceeded' };

export const OLLAMA: Profile = {
  name: 'ollama',
  about: 'One server with a model of 7 to 8 billion parameters on an L40S, and its defaults.',
  wire: 'openai',
  refusal: {
    // The error is a string.
    body: { error: '{message}' },
    errors: { 'status-503': BUSY, 'status-529': BUSY },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  },
  quotas: [],
  models: {
    'llama3.1': {
      quotas: [],
      retryAfter: cited(NO_HINT, 'documented', SOURCE),
      server: cited({ slots: 1, queue: 512 }, 'documented', `OLLAMA_NUM_PARALLEL 1, OLLAMA_MAX_QUEUE 512: ${SOURCE}`),
      latency: cited(
        { firstToken: { medianMs: 32, p95Ms: 40 }, perInputTokenMs: 0.8, perOutputTokenMs: 30 },
        'secondary',
        '7–8B on an L40S: prefill 25–40 ms + 0.65–1.0 ms per token, 25–35 ms per output token: llm-d/llm-d-inference-sim docs/latency-profiles.md @eec055a',
      ),
    },
  },
};
