/**
 * Where a request goes: what its path and method say. Paths are known by their endings, so that any base URL of a client
 * works: `/v1/chat/completions`, `/openai/deployments/NAME/chat/completions`, `/api/paas/v4/chat/completions`.
 */

import type { WireStyle } from './answer.js';
import type { RequestPath } from './dialect.js';

export type Route =
  | { readonly kind: 'generate'; readonly wire: WireStyle; readonly path: RequestPath }
  /** A list of models; `id`: one of them. */
  | { readonly kind: 'models'; readonly id: string | null }
  | { readonly kind: 'health' }
  | { readonly kind: 'ledger' }
  | { readonly kind: 'unknown' };

/** The path and the query of a request target. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

/** The methods that a route answers. */
export const METHODS: Readonly<Record<Route['kind'], 'GET' | 'POST' | null>> = {
  generate: 'POST',
  models: 'GET',
  health: 'GET',
  ledger: 'GET',
  unknown: null,
};

const GEMINI_CALL = /\/(?:models|tunedModels)\/([^/:]+):(generateContent|streamGenerateContent)$/;
const DEPLOYMENT = /\/deployments\/([^/]+)\//;
/** An id may have slashes of its own. */
const MODELS = /\/models(?:\/(.+))?$/;
const NOTHING_SAID: RequestPath = { model: null, stream: false, asEvents: true };

/** `/v1/models?limit=3`, or a whole URL, as a proxy's client sends it. */
export function targetOf(target: string): Target {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  const path = mark === -1 ? local : local.slice(0, mark);
  return { path: path === '' ? '/' : path, query: mark === -1 ? '' : local.slice(mark + 1) };
}

/** `acme` of `/acme/v1/models`; empty where there is none. */
export function firstSegmentOf({ path }: Target): string {
  return decoded(path.split('/', 2)[1] ?? '');
}

/** The value of a parameter of the query; null where it is not there. */
export function parameterOf({ query }: Target, name: string): string | null {
  for (const pair of query.split('&')) {
    if (pair.startsWith(`${name}=`)) return decoded(pair.slice(name.length + 1));
  }
  return null;
}

export function routeOf(target: Target): Route {
  const { path } = target;
  if (path.endsWith('/chat/completions')) return generate('openai', { ...NOTHING_SAID, model: deploymentOf(path) });
  if (path.endsWith('/responses')) return generate('openai-responses', { ...NOTHING_SAID, model: deploymentOf(path) });
  if (path.endsWith('/messages')) return generate('anthropic', NOTHING_SAID);
  const gemini = GEMINI_CALL.exec(path);
  if (gemini) {
    const stream = gemini[2] === 'streamGenerateContent';
    return generate('gemini', { model: decoded(gemini[1]!), stream, asEvents: parameterOf(target, 'alt') === 'sse' });
  }
  if (path.endsWith('/health')) return { kind: 'health' };
  if (path.endsWith('/ledger')) return { kind: 'ledger' };
  const models = MODELS.exec(path);
  if (models) return { kind: 'models', id: models[1] === undefined ? null : decoded(models[1]) };
  return { kind: 'unknown' };
}

function generate(wire: WireStyle, path: RequestPath): Route {
  return { kind: 'generate', wire, path };
}

function deploymentOf(path: string): string | null {
  const found = DEPLOYMENT.exec(path);
  return found ? decoded(found[1]!) : null;
}

/** Text that is not percent-encoded right stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
