/**
 * The profiles' refusals as they go over the wire, read by the governor: what each provider says in its own words must come
 * out as what it means. Neither side knows the other.
 */

import { classify } from '@tidegate/governor';
import {
  type ProfileName,
  profileNames,
  profileOf,
  type QuotaSpec,
  type RetryAfterSpec,
} from '@tidegate/providers-mock';
import { describe, expect, it } from 'vitest';
import type { WireAnswer } from '../../../providers-mock/src/wire/answer.js';
import { MockApi } from '../../../providers-mock/src/wire/mock-api.js';

const MINUTE = 60_000;
const EPOCH_MS = Date.parse('2026-11-30T12:00:00.000Z');

const window = { perMs: MINUTE, refill: 'fixed-window', refusedCount: false } as const;
const requests: QuotaSpec = { ...window, kind: 'requests', name: 'rpm', limit: 1, burst: 1 };
const tokens: QuotaSpec = {
  ...window,
  kind: 'tokens',
  name: 'tpm',
  limit: 50,
  burst: 50,
  counts: 'total',
  reserve: 'max-tokens',
  settle: 'refund',
};

interface Refusing {
  readonly quota?: QuotaSpec;
  /** Of the request. */
  readonly maxTokens?: number;
  readonly status?: 503 | 529;
}

const REFUSALS = {
  concurrency: { quota: { kind: 'concurrency', name: 'concurrency', limit: 1, refusedCount: false } },
  requests: { quota: requests },
  tokens: { quota: tokens },
  ramp: {
    quota: {
      kind: 'ramp',
      name: 'slow_down',
      counts: 'requests',
      limit: 1,
      perMs: MINUTE,
      growth: 0,
      overMs: MINUTE,
      refusedCount: false,
    },
  },
  'too large': { quota: tokens, maxTokens: 5000 },
  'overload 503': { status: 503 },
  'overload 529': { status: 529 },
} as const satisfies Readonly<Record<string, Refusing>>;

const PATHS = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/m:generateContent',
} as const;

/** What the second of two requests, half a minute in, is answered with. */
function answered(
  name: ProfileName,
  { quota, maxTokens = 30, status }: Refusing,
  retryAfter: RetryAfterSpec,
): WireAnswer {
  const { wire, refusal } = profileOf(name);
  const draws = {
    outputTokens: () => 10,
    times: () => ({ firstTokenMs: 1, totalMs: 2 }),
    refusalMs: () => 50,
    hint: () => 0.5,
    fault: () => 0.5,
  };
  const overload = status && { everyMs: 1, forMs: 1e12, share: 1, status };
  const model = { quotas: quota ? [quota] : [], retryAfter, draws, ...(overload && { overload }) };
  const api = new MockApi({
    providers: { p: { wire, refusal, quotas: [], models: { m: model } } },
    luck: () => () => 0.5,
  });
  const body =
    wire === 'gemini'
      ? {
          contents: [{ role: 'user', parts: [{ text: 'a prompt of some tokens' }] }],
          generationConfig: { maxOutputTokens: maxTokens },
        }
      : { model: 'm', max_tokens: maxTokens, messages: [{ role: 'user', content: 'a prompt of some tokens' }] };
  const request = { method: 'POST', target: PATHS[wire], headers: {}, body: JSON.stringify(body) };
  api.exchange(request, { nowMs: 0, epochMs: EPOCH_MS });
  let answer: WireAnswer | undefined;
  const second = api.exchange(request, { nowMs: 30_000, epochMs: EPOCH_MS + 30_000 });
  const failed = (error: unknown): never => {
    throw error;
  };
  second.whenReady((given) => {
    answer = given;
  }, failed);
  if (answer === undefined) throw new Error('the request waits');
  return answer;
}

function read(name: ProfileName, answer: WireAnswer) {
  if (answer.kind !== 'whole') throw new Error(`expected a whole answer, got one that is ${answer.kind}`);
  const { status, headers, body } = answer;
  return classify({ provider: name, status, headers, body, receivedAt: EPOCH_MS + 30_000 });
}

describe('the governor', () => {
  /** What these providers cannot say: there too large is told as any other refusal. */
  const silentOnSize: readonly ProfileName[] = ['azure-openai', 'bedrock', 'minimax', 'xai'];
  /** Its codes know no overload; 1033 is a failure of its system. */
  const overload = (name: ProfileName): string => (name === 'minimax' ? 'transient' : 'overload');

  it.each([...profileNames])('reads the refusals of %s as they are meant', (name) => {
    const classes = Object.fromEntries(
      Object.entries(REFUSALS).map(([kind, refusing]) => [
        kind,
        read(name, answered(name, refusing, { kind: 'none' })).class,
      ]),
    );
    expect(classes).toEqual({
      concurrency: 'throttle',
      requests: 'throttle',
      tokens: 'throttle',
      ramp: 'throttle',
      'too large': silentOnSize.includes(name) ? 'throttle' : 'request_too_large',
      'overload 503': overload(name),
      'overload 529': overload(name),
    });
  });

  it.each([...profileNames])('reads the wait of %s, or that there is none', (name) => {
    const [model] = Object.values(profileOf(name).models);
    const retryAfter = model?.retryAfter.value ?? { kind: 'none' };
    const stated = (scope: 'requests' | 'tokens'): number | null => {
      if (retryAfter.kind === 'none' || (retryAfter.scopes && !retryAfter.scopes.includes(scope))) return null;
      return retryAfter.kind === 'constant' ? retryAfter.ms : 30_000;
    };
    const waits = (['requests', 'tokens'] as const).map(
      (kind) => read(name, answered(name, REFUSALS[kind], retryAfter)).retryAfterMs,
    );
    expect(waits).toEqual([stated('requests'), stated('tokens')]);
  });
});
