/**
 * One script of requests through the models alone, through the HTTP server and through the msw handlers: the same verdicts,
 * the same waits, and after every step the same ledger.
 */

import fc from 'fast-check';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RetryAfterSpec } from '../../src/models/hint-spec.js';
import type { LedgerEntry } from '../../src/models/ledger.js';
import { createProvider } from '../../src/models/provider.js';
import type { QuotaSpec } from '../../src/models/quota-spec.js';
import { hintMs } from '../../src/models/retry-after.js';
import type { Lease, RequestFacts, Usage } from '../../src/models/verdict.js';
import { createMock } from '../../src/msw.js';
import { startMockServer } from '../../src/server.js';
import type { RefusalStyle } from '../../src/wire/answer.js';
import type { ApiProvider } from '../../src/wire/mock-api.js';
import { ManualClock } from './manual-clock.js';
import { concurrency, requestsPerMinute, steady, tokensPerMinute } from './mock-providers.js';
import { eventually } from './raw-client.js';

type Step =
  | {
      readonly kind: 'ask';
      readonly input: number;
      readonly max: number;
      readonly output: number;
      readonly stream: boolean;
    }
  | { readonly kind: 'pass'; readonly ms: number }
  /** The client of the n-th request goes away; one that has its answer is not there to go. */
  | { readonly kind: 'leave'; readonly request: number };

/** What the caller of one request comes to know: by whom it was refused and how long to wait; or that it was let in. */
type Known = 'admitted' | 'left' | { readonly refusedBy: string; readonly waitMs: string | null };

interface Stage {
  step(step: Step): void;
  ledger(): LedgerEntry;
  known(): Promise<readonly Known[]>;
}

const FIRST_TOKEN_MS = 20;
const PER_TOKEN_MS = 1;
const REFUSAL_MS = 5;
const RETRY_AFTER: RetryAfterSpec = { kind: 'exact', as: 'ms', rounding: 'none', error: 0 };
/** Refusals name their quota and their wait in the body, so that nothing of a verdict is lost on the wire. */
const TELLING: RefusalStyle = {
  body: { quota: '{quota}', waitMs: '{waitMs}' },
  errors: {},
  hints: ['body'],
  rateLimits: { kind: 'none' },
  requestIdHeader: null,
};

function acme(quotas: readonly QuotaSpec[]): ApiProvider {
  const pace = { firstTokenMs: FIRST_TOKEN_MS, perTokenMs: PER_TOKEN_MS, headMs: 1, refusalMs: REFUSAL_MS };
  const manners = { retryAfter: RETRY_AFTER, draws: steady(pace) };
  return { wire: 'openai', refusal: TELLING, quotas: [], models: { large: { quotas, ...manners } } };
}

/** The models by themselves: every end of a request is entered by hand, in order of time. */
class Bare implements Stage {
  readonly #model;
  readonly #known: Known[] = [];
  readonly #held = new Map<number, { readonly lease: Lease | null; readonly usage: Usage; readonly endMs: number }>();
  #nowMs = 0;

  constructor(quotas: readonly QuotaSpec[]) {
    this.#model = createProvider(acme(quotas)).model('large');
  }

  step(step: Step): void {
    if (step.kind === 'ask') this.#ask(step);
    else if (step.kind === 'pass') this.#pass(step.ms);
    else if (this.#held.has(step.request)) this.#leave(step.request);
  }

  ledger(): LedgerEntry {
    return this.#model.ledger();
  }

  async known(): Promise<readonly Known[]> {
    return this.#known;
  }

  #ask({ input, max, output }: Extract<Step, { kind: 'ask' }>): void {
    const facts: RequestFacts = { inputTokens: input, maxTokens: max };
    const verdict = this.#model.decide(facts, this.#nowMs);
    const request = this.#known.length;
    if (verdict.kind === 'admitted') {
      const usage = { inputTokens: input, outputTokens: Math.min(output, max) };
      const endMs = this.#nowMs + FIRST_TOKEN_MS + PER_TOKEN_MS * usage.outputTokens;
      this.#held.set(request, { lease: verdict.lease, usage, endMs });
      this.#known.push('admitted');
    } else {
      const usage = { inputTokens: 0, outputTokens: 0 };
      this.#held.set(request, { lease: verdict.lease, usage, endMs: this.#nowMs + REFUSAL_MS });
      const waitMs = hintMs(RETRY_AFTER, verdict, this.#nowMs, 0.5);
      this.#known.push({ refusedBy: verdict.quota, waitMs: waitMs === null ? null : String(waitMs) });
    }
  }

  #pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    const due = [...this.#held].filter(([, { endMs }]) => endMs <= untilMs);
    for (const [request, { lease, usage, endMs }] of due.sort(([, a], [, b]) => a.endMs - b.endMs)) {
      lease?.answered(usage, endMs);
      this.#held.delete(request);
    }
    this.#nowMs = untilMs;
  }

  #leave(request: number): void {
    this.#held.get(request)?.lease?.abandoned(this.#nowMs);
    this.#held.delete(request);
    this.#known[request] = 'left';
  }
}

/** Any adapter that is reached by `fetch`. */
class Fetched implements Stage {
  readonly #url: string;
  readonly #ledger: () => LedgerEntry;
  readonly #asked: { readonly controller: AbortController; readonly known: Promise<Known> }[] = [];

  constructor(url: string, ledger: () => LedgerEntry) {
    this.#url = `${url}/v1/chat/completions`;
    this.#ledger = ledger;
  }

  step(step: Step): void {
    if (step.kind === 'ask') this.#ask(step);
    else if (step.kind === 'leave') this.#asked[step.request]?.controller.abort();
  }

  ledger(): LedgerEntry {
    return this.#ledger();
  }

  known(): Promise<readonly Known[]> {
    return Promise.all(this.#asked.map(({ known }) => known));
  }

  #ask({ input, max, output, stream }: Extract<Step, { kind: 'ask' }>): void {
    const controller = new AbortController();
    const messages = [{ role: 'user', content: 'x' }];
    const headers = { 'x-mock-input-tokens': String(input), 'x-mock-output-tokens': String(output) };
    const body = JSON.stringify({ model: 'large', max_tokens: max, messages, stream });
    const init = { method: 'POST', headers, body, signal: controller.signal };
    const known = fetch(this.#url, init).then(outcome, () => 'left' as const);
    this.#asked.push({ controller, known });
  }
}

async function outcome(response: Response): Promise<Known> {
  try {
    const text = await response.text();
    if (response.status === 200) return 'admitted';
    const { quota, waitMs = null } = JSON.parse(text) as { quota: string; waitMs?: string };
    return { refusedBy: quota, waitMs };
  } catch {
    return 'left';
  }
}

const msw = setupServer();
beforeAll(() => msw.listen({ onUnhandledRequest: 'bypass' }));
afterAll(() => msw.close());

/** Plays the script on all three stages, and compares them after each step. */
async function play(quotas: readonly QuotaSpec[], script: readonly Step[]): Promise<readonly Known[]> {
  const clock = new ManualClock();
  const served = await startMockServer({ providers: { acme: acme(quotas) }, clock });
  const baseUrl = 'https://api.acme.test';
  const mock = createMock({ provider: acme(quotas), baseUrl, clock });
  msw.resetHandlers(...mock.handlers);
  const bare = new Bare(quotas);
  const http = new Fetched(served.url, () => served.ledger().models['acme/large']!);
  const intercepted = new Fetched(baseUrl, () => Object.values(mock.ledger().models)[0]!);
  try {
    for (const step of [...script, { kind: 'pass', ms: 100_000 } as const]) {
      for (const stage of [bare, http, intercepted]) stage.step(step);
      if (step.kind === 'pass') await clock.pass(step.ms);
      const expected = JSON.stringify(bare.ledger());
      for (const stage of [http, intercepted]) {
        await eventually(() => JSON.stringify(stage.ledger()) === expected).catch(() => {
          expect(stage.ledger()).toEqual(bare.ledger());
        });
      }
    }
    const verdicts = await bare.known();
    expect(await http.known()).toEqual(verdicts);
    expect(await intercepted.known()).toEqual(verdicts);
    return verdicts;
  } finally {
    await served.close(0);
  }
}

const ask = (input: number, max: number, output: number, stream = false): Step => ({
  kind: 'ask',
  input,
  max,
  output,
  stream,
});
const pass = (ms: number): Step => ({ kind: 'pass', ms });
const leave = (request: number): Step => ({ kind: 'leave', request });

describe('the adapters agree', () => {
  it('on a script with all kinds of verdicts', async () => {
    const quotas = [concurrency(2), requestsPerMinute(6), tokensPerMinute(1_000)];
    const verdicts = await play(quotas, [
      ask(100, 300, 50),
      ask(100, 300, 200, true),
      // Two are in flight.
      ask(1, 1, 1),
      pass(300),
      // 450 of the 800 reserved tokens were used, 5 came back: 55 are missing, at 16.7 a second.
      ask(10, 600, 10),
      ask(10, 439, 10, true),
      // What was reserved for the one who leaves stays spent: 106 tokens are there, and 3.24 s bring 54 more.
      leave(4),
      ask(100, 60, 10),
      // More than there ever is.
      ask(1_001, 1, 1),
      ask(1, 1, 1),
      ask(1, 1, 1),
      pass(1_000),
      ask(1, 1, 1),
      // Six in one and a bit of a second, where one comes back every ten: the next in 8.7 s.
      ask(1, 1, 1),
    ]);
    expect(verdicts).toEqual([
      'admitted',
      'admitted',
      { refusedBy: 'concurrency', waitMs: null },
      { refusedBy: 'total-tpm', waitMs: '3300' },
      'left',
      { refusedBy: 'total-tpm', waitMs: '3240' },
      { refusedBy: 'total-tpm', waitMs: null },
      'admitted',
      'admitted',
      'admitted',
      { refusedBy: 'rpm', waitMs: '8700' },
    ]);
  });

  it('on any script', { timeout: 20_000 }, async () => {
    const tokens = fc.integer({ min: 1, max: 60 });
    const step: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('ask'),
          input: tokens,
          max: tokens,
          output: tokens,
          stream: fc.boolean(),
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 1, max: 3_000 }) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave'), request: fc.nat(10) }) },
    );
    const refusedCount = fc.boolean();
    const setting = fc.record({
      places: fc.integer({ min: 1, max: 3 }),
      rpm: fc.integer({ min: 1, max: 20 }),
      tpm: fc.integer({ min: 30, max: 300 }),
      refusedCount,
    });
    const script = fc.array(step, { minLength: 3, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(setting, script, async ({ places, rpm, tpm, refusedCount }, steps) => {
        const quotas = [concurrency(places), requestsPerMinute(rpm), tokensPerMinute(tpm)];
        await play(
          quotas.map((quota) => ({ ...quota, refusedCount })),
          steps,
        );
      }),
      { numRuns: 25 },
    );
  });
});
