/** Google Gemini API: windows a minute and a quota a day that resets at midnight Pacific; hints in the body alone. */

import { GEMINI_STYLE } from '../wire/refusal-styles.js';
import { cited, type Profile } from './profile.js';
import { DAY, exactWait, HOUR, MINUTE, requests, tokens } from './quota-shapes.js';

const WINDOW = 'the shape of the window is not documented; waits beyond what a bucket would need have been seen';

export const GEMINI: Profile = {
  name: 'gemini',
  about: 'The free tier. A project has these limits, whatever the number of its keys.',
  wire: 'gemini',
  refusal: {
    body: GEMINI_STYLE.body,
    errors: {},
    hints: ['body'],
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  },
  quotas: [],
  models: {
    'gemini-2.5-pro': {
      quotas: [
        cited(
          requests('rpm', 10, MINUTE, { refill: 'fixed-window' }),
          'observed',
          `free tier, 5 to 10 RPM: users' reports; ${WINDOW}`,
        ),
        cited(
          tokens('input-tpm', 250_000, MINUTE, { refill: 'fixed-window', counts: 'input', reserve: 'estimate' }),
          'observed',
          `free tier, 250k input tokens a minute: users' reports; ${WINDOW}`,
        ),
        cited(
          requests('rpd', 250, DAY, { refill: 'fixed-window', resetAtMs: 8 * HOUR }),
          'observed',
          "free tier, 20 to 250 a day: users' reports; resets at midnight Pacific, here without daylight saving: ai.google.dev rate-limits",
        ),
      ],
      retryAfter: cited(
        exactWait({ rounding: 'none' }),
        'observed',
        'RetryInfo with fractions ("34.074824224s", "37025.7s"): google-gemini/gemini-cli googleQuotaErrors.ts @5411f11; beside a daily quota it has also been seen to say 1 s',
      ),
      latency: cited(
        { firstToken: { medianMs: 600, p95Ms: 1800 }, perOutputTokenMs: 9.1 },
        'uncertain',
        'tokenmix.ai, April 2026, Gemini 2.5 Pro: first token p50 600 ms, p95 1,800 ms, 110 tokens a second',
      ),
    },
  },
};
