/**
 * Reads the headers that matter out of whatever a client hands over, and what they announce of the provider's limits.
 *
 * Copies only the names it knows a use for, so an ordinary answer costs one look at each name. A header that cannot be
 * read is a header that is not there. Never throws, even if the record's own accessors do.
 */
import { type Now, parseWait } from './retry-after.js';

/** Lower-cased name → text. */
export type HeaderMap = ReadonlyMap<string, string>;

/** What one dimension's headers say; a member is absent when its header is, or is not a usable value. */
export interface Limit {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
  /** Anthropic's unified windows: this one is the reason of the refusal. */
  readonly rejected?: boolean;
}

/** Dimension → limit. `requests`, `input_tokens`, `project_tokens`, `requests_day`, `unified_5h`, … */
export type Limits = ReadonlyMap<string, Limit>;

const USED = /^(?:x-(?:rate|amz|should)|rate|anthropic-|retry-|date$|content-type$)/i;
/** Vendors put the role after the family, Anthropic at the end. */
const LIMIT_NAME =
  /^(?:x-rate-?limit|anthropic(?:-ratelimit)?|ratelimit)-(?:(limit|remaining|reset)(?:-(.+))?|(.+)-(limit|remaining|reset|status))$/;
const UNSIGNED = /^\d+(?:\.\d+)?$/;
const ITEM = /\s*"([^"]*)"((?:\s*;\s*[a-z]+=(?:\d+|"[^"]*"))*)\s*(?:,|$)/;

/** Property access on something that may be a proxy, have throwing getters, or not be an object at all. */
export function read(from: unknown, name: string): unknown {
  try {
    return (from as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

/** The headers that matter; empty when there are none. `into` keeps what it already has. */
export function readHeaders(headers: unknown, into: Map<string, string> = new Map()): Map<string, string> {
  if (typeof headers !== 'object' || headers === null) return into;
  const visit = (value: unknown, name: unknown): void => {
    if (typeof name !== 'string' || !USED.test(name) || into.has(name.toLowerCase())) return;
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (typeof text === 'string' || typeof text === 'number') into.set(name.toLowerCase(), String(text));
  };
  try {
    if (typeof read(headers, 'forEach') === 'function') (headers as Map<string, string>).forEach(visit);
    else for (const name in headers) if (USED.test(name)) visit(read(headers, name), name);
  } catch {
    // A trap of a proxy: what was read until then stays.
  }
  return into;
}

/** What the `x-ratelimit-*`, `anthropic-ratelimit-*` and the like announce. A dimension that says -1 says nothing. */
export function readLimits(headers: HeaderMap, now: Now): Limits {
  const limits = new Map<string, Limit>();
  const unknown: string[] = [];
  for (const [name, value] of headers) {
    const [, role, after, before, lastRole] = LIMIT_NAME.exec(name) ?? [];
    if (role === undefined && lastRole === undefined) continue;
    const dimension = dimensionOf(after ?? before ?? 'requests');
    if (value === '-1') unknown.push(dimension);
    limits.set(dimension, { ...limits.get(dimension), ...readRole(role ?? lastRole!, value, now) });
  }
  for (const dimension of unknown) limits.delete(dimension);
  return limits;
}

/** The named items of the standard `RateLimit` header; a malformed header is ignored as a whole. */
export function readRateLimit(headers: HeaderMap): Limits {
  const items = new Map<string, Limit>();
  for (const [name, parameters] of readItems(headers.get('ratelimit'))) {
    const r = /;\s*r=(\d+)/.exec(parameters)?.[1];
    const t = /;\s*t=(\d{1,12})/.exec(parameters)?.[1];
    items.set(name, { ...(r && { remaining: Number(r) }), ...(t && { resetMs: Number(t) * 1_000 }) });
  }
  return items;
}

/** An item of `RateLimit-Policy`, and what `RateLimit` says is left of it. */
export interface Policy {
  readonly name: string;
  /** NaN where the item does not say. */
  readonly limit: number;
  readonly perMs: number;
  readonly unit: string | undefined;
  readonly remaining: number | undefined;
}

export function readPolicies(headers: HeaderMap): readonly Policy[] {
  const items = readRateLimit(headers);
  return readItems(headers.get('ratelimit-policy')).map(([name, parameters]) => ({
    name,
    limit: Number(/;\s*q=(\d+)/.exec(parameters)?.[1]),
    perMs: Number(/;\s*w=(\d{1,12})/.exec(parameters)?.[1]) * 1_000,
    unit: /;\s*qu="([^"]*)"/.exec(parameters)?.[1],
    remaining: items.get(name)?.remaining,
  }));
}

/** Whether an item that `RateLimit` calls used up is, by `RateLimit-Policy`, a number of concurrent requests. */
export function isConcurrencyExhausted(items: Limits, headers: HeaderMap): boolean {
  return readPolicies(headers).some(
    ({ name, unit }) => items.get(name)?.remaining === 0 && unit === 'concurrent-requests',
  );
}

function dimensionOf(words: string): string {
  return words
    .replaceAll('-', '_')
    .replace(/_minute$/, '')
    .replace(/^req(?=$|_)/, 'requests');
}

function readRole(role: string, value: string, now: Now): Limit {
  if (role === 'status') return { rejected: value === 'rejected' };
  const number = role === 'reset' ? parseWait(value, now) : UNSIGNED.test(value) ? Number(value) : null;
  return number === null ? {} : { [role === 'reset' ? 'resetMs' : role]: number };
}

function readItems(value: string | undefined): readonly (readonly [name: string, parameters: string])[] {
  const items: [string, string][] = [];
  const item = new RegExp(ITEM, 'y');
  while (value && item.lastIndex < value.length) {
    const found = item.exec(value);
    if (!found) return [];
    items.push([found[1]!, found[2]!]);
  }
  return items;
}
