/** Zhipu BigModel / Z.ai: requests in flight per account and model, fewer at peak hours, and never a hint. */

import { cited, type Profile } from './profile.js';
import { concurrency, HOUR, NO_HINT } from './quota-shapes.js';

const NONE = cited(NO_HINT, 'observed', 'no Retry-After in any 429 read; slots come free within 1 to 15 s');
const LIMITED = 'the primary limit is requests in flight per account and model: docs.bigmodel.cn/cn/api/rate-limit';
const OVERLOADED = {
  status: 429,
  message: 'The service may be temporarily overloaded, please try again later',
  fields: { code: '1305' },
};

export const ZHIPU: Profile = {
  name: 'zhipu',
  about:
    'Coding plans; the numbers stand only on the console, these are from users. Peak hours are 15:00 to 18:00, UTC+8.',
  wire: 'openai',
  refusal: {
    body: { error: { code: '{code}', message: '{message}' } },
    errors: {
      concurrency: {
        status: 429,
        message: 'High concurrency usage of this API; reduce concurrency.',
        fields: { code: '1302' },
      },
      requests: {
        status: 429,
        message: 'Request frequency too high; reduce frequency.',
        fields: { code: '1303' },
      },
      'status-500': { status: 500, message: 'network error, error id: {requestId}', fields: { code: '1234' } },
      'status-503': OVERLOADED,
      'status-529': OVERLOADED,
    },
    hints: 'as-stated',
    rateLimits: { kind: 'none' },
    requestIdHeader: null,
  },
  quotas: [],
  models: {
    'glm-4.7': {
      quotas: [
        cited(
          concurrency(3, { schedule: [{ fromMs: 7 * HOUR, toMs: 10 * HOUR, limit: 1 }] }),
          'observed',
          `3 lowered to 1: opencode issue 8618 and users; peak hours 15:00–18:00: docs.bigmodel.cn; ${LIMITED}`,
        ),
      ],
      retryAfter: NONE,
    },
    'glm-4.6': {
      quotas: [cited(concurrency(5), 'observed', `5: langgenius/dify PR 2324, which names no model; ${LIMITED}`)],
      retryAfter: NONE,
    },
    'glm-5.2': {
      quotas: [cited(concurrency(10), 'observed', `10: zai-org/GLM-5 issue 83; ${LIMITED}`)],
      retryAfter: NONE,
    },
  },
};
