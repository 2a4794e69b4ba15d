/**
 * The rate limits that an answer announces in its headers, in one form for all families of them, or in the words of a
 * refusal, and what it says it used. A limit over a day is none: nobody wants a day's quota spread evenly over the day. Never throws.
 */

import type { Answer, Scope } from './answer.js';
import { readError } from './answer-body.js';
import { read, readHeaders, readLimits, readPolicies } from './answer-headers.js';

/** One rate limit of the provider, as an answer tells it. */
export interface RateLimit {
  /** The provider's name of the dimension; two of one name are one limit. */
  readonly name: string;
  readonly counts: 'requests' | 'tokens' | 'input' | 'output';
  /** Above 0, per `perMs`. */
  readonly limit: number;
  /** Where nothing is stated, a minute: a period taken too short costs a refusal, one taken too long starves. */
  readonly perMs: number;
  readonly remaining?: number;
}

/** What an answer used. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

const DIMENSION = /^(?:project_)?(?:(requests)|(?:(in|out)put_)?tokens)$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const STATED_LIMIT = /\blimit(?: of|:)? ?(\d[\d,]*)/;
/** `per minute`, `PerMinute`, `rpm`. */
const PERIOD = /(?:per[-_ ]?|\b[rt]p)([smhd])(?:ec|in|our|ay|\b)/;
const PERIODS_MS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS };

/**
 * The rates that an answer announces; none where they are none or cannot be read.
 * @param refusedBy what the limit counts that the answer is a refusal of: its words may say how much it is.
 */
export function announcedLimits(answer: Answer, refusedBy?: Scope): readonly RateLimit[] {
  try {
    const headers = readHeaders(read(read(answer, 'error'), 'headers'), readHeaders(read(answer, 'headers')));
    const named = [...readLimits(headers, () => undefined)].flatMap(([name, { limit, remaining }]): RateLimit[] => {
      const counts = countedBy(name);
      return counts && limit ? [rateLimit(name, counts, limit, MINUTE_MS, remaining)] : [];
    });
    const policies = readPolicies(headers).flatMap(({ name, limit, perMs, unit, remaining }): RateLimit[] => {
      if (unit === 'concurrent-requests' || !(limit > 0) || !(perMs > 0 && perMs <= HOUR_MS)) return [];
      return [rateLimit(name, unit === 'tokens' ? 'tokens' : 'requests', limit, perMs, remaining)];
    });
    const stated = refusedBy === undefined ? [] : statedLimit(answer, refusedBy);
    const told = [...named, ...policies];
    const all = [...told, ...stated.filter(({ name }) => !told.some((other) => other.name === name))];
    // Beside a limit of each side, the one of all tokens repeats the scarcer of them.
    const isSplit = all.some(({ counts }) => counts === 'input' || counts === 'output');
    return isSplit ? all.filter(({ counts }) => counts !== 'tokens') : all;
  } catch {
    return [];
  }
}

/** `Limit 10000, Used 9500, Requested 800`, `limit: 60`, `rate limit of 50 requests per minute`. */
function statedLimit({ body, error }: Answer, scope: Scope): readonly RateLimit[] {
  const { text } = readError(body, error);
  const counts = countedBy(scope);
  const limit = Number(STATED_LIMIT.exec(text)?.[1]?.replaceAll(',', ''));
  const perMs = PERIODS_MS[PERIOD.exec(text)?.[1] ?? 'm'];
  return counts && limit > 0 && perMs ? [rateLimit(scope, counts, limit, perMs, undefined)] : [];
}

function countedBy(dimension: string): RateLimit['counts'] | undefined {
  const [known, requests, side] = DIMENSION.exec(dimension) ?? [];
  if (known === undefined) return undefined;
  return requests ? 'requests' : side === 'in' ? 'input' : side === 'out' ? 'output' : 'tokens';
}

function rateLimit(
  name: string,
  counts: RateLimit['counts'],
  limit: number,
  perMs: number,
  remaining: number | undefined,
): RateLimit {
  return { name, counts, limit, perMs, ...(remaining !== undefined && { remaining }) };
}

/** Of a whole answer in JSON; empty where it does not say. */
export function usageOf({ body }: Answer): Usage {
  try {
    const document = typeof body === 'string' ? (JSON.parse(body) as unknown) : body;
    const usage = read(document, 'usage') ?? read(document, 'usageMetadata');
    const count = (...names: readonly string[]): number | undefined =>
      names.map((name) => read(usage, name)).find((value) => typeof value === 'number') as number | undefined;
    const inputTokens = count('prompt_tokens', 'input_tokens', 'promptTokenCount');
    const outputTokens = count('completion_tokens', 'output_tokens', 'candidatesTokenCount');
    return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) };
  } catch {
    return {};
  }
}
