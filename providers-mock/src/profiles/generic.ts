/** No provider in particular: what the standards say, a place for requests in flight and a bucket a minute. */

import { OPENAI_STYLE } from '../wire/refusal-styles.js';
import { cited, type Profile } from './profile.js';
import { concurrency, exactWait, MINUTE, requests } from './quota-shapes.js';

const DRAFT = 'the examples of draft-ietf-httpapi-ratelimit-headers';

export const GENERIC: Profile = {
  name: 'generic',
  about: 'Limits as the RateLimit draft has them in its examples, hints as RFC 9110 wants them.',
  wire: 'openai',
  refusal: {
    body: OPENAI_STYLE.body,
    errors: {},
    hints: ['retry-after'],
    rateLimits: { kind: 'ietf', on: 'every-answer' },
    requestIdHeader: OPENAI_STYLE.requestIdHeader,
  },
  quotas: [],
  models: {
    model: {
      quotas: [
        cited(concurrency(8), 'uncertain', `8 requests in flight: ${DRAFT}`),
        cited(requests('rpm', 100, MINUTE), 'uncertain', `100 in 60 s: ${DRAFT}`),
      ],
      retryAfter: cited(exactWait(), 'documented', 'whole seconds: RFC 9110 §10.2.3'),
    },
  },
};
