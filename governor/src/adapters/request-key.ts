/**
 * Which key an HTTP request to a model belongs to, read from the request alone: the provider from its host, the model
 * from its path or its JSON body. Sends nothing and never throws on a body it cannot read.
 */

import type { Key } from '../gate/ticket.js';

/** The model of a request that names none, such as a list of models or an upload. */
const UNNAMED_MODEL = 'default';

/** What tells two keys apart in a request. `body` as the client was given it. */
export interface RequestFacts {
  readonly url: URL;
  readonly body: unknown;
}

/** Host names and the names that `classify` knows their owners by. */
const PROVIDERS: readonly (readonly [host: RegExp, provider: string])[] = [
  [/(?:^|\.)openai\.com$/, 'openai'],
  [/(?:^|\.)(?:anthropic|claude)\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'gemini'],
  [/(?:^|[.-])aiplatform\.googleapis\.com$/, 'vertex'],
  [/\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/, 'azure-openai'],
  [/^bedrock.*\.amazonaws\.com$/, 'bedrock'],
  [/(?:^|\.)x\.ai$/, 'xai'],
  [/(?:^|\.)z\.ai$/, 'zai'],
  [/(?:^|\.)bigmodel\.cn$/, 'zhipu'],
  [/(?:^|\.)groq\.com$/, 'groq'],
  [/(?:^|\.)mistral\.ai$/, 'mistral'],
  [/(?:^|\.)deepseek\.com$/, 'deepseek'],
  [/(?:^|\.)openrouter\.ai$/, 'openrouter'],
  [/(?:^|\.)together\.(?:xyz|ai)$/, 'together'],
  [/(?:^|\.)fireworks\.ai$/, 'fireworks'],
  [/(?:^|\.)cerebras\.ai$/, 'cerebras'],
  [/^dashscope.*\.aliyuncs\.com$/, 'dashscope'],
  [/(?:^|\.)moonshot\.(?:ai|cn)$/, 'moonshot'],
  [/(?:^|\.)minimaxi?\.(?:io|com|chat)$/, 'minimax'],
];

/** `/models/<id>:generateContent`, `/endpoints/<id>:predict`, `/deployments/<id>/…`, `/model/<id>/converse`. */
const MODEL_IN_PATH =
  /\/(?:(?:models|endpoints)\/([^/:]+):\w+|deployments\/([^/]+)\/|model\/([^/]+)\/(?:invoke|converse))/;

/** The path's model goes first: there it names what the limit is on, a deployment or an endpoint. */
export function keyOfRequest({ url, body }: RequestFacts, provider: string | undefined): Key {
  return {
    provider: provider ?? providerOf(url),
    model: modelInPath(url.pathname) ?? modelInBody(body) ?? UNNAMED_MODEL,
  };
}

/** A host that is nobody's we know stands for itself, with its port. */
function providerOf({ host, hostname }: URL): string {
  return PROVIDERS.find(([pattern]) => pattern.test(hostname))?.[1] ?? host;
}

function modelInPath(path: string): string | undefined {
  const [, model, deployment, bedrockModel] = MODEL_IN_PATH.exec(path) ?? [];
  const id = model ?? deployment ?? bedrockModel;
  try {
    return id && decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** JSON text, its bytes, or a form. */
function modelInBody(body: unknown): string | undefined {
  if (typeof body === 'string') return modelInJson(body);
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return modelInJson(new TextDecoder().decode(body));
  return body instanceof FormData || body instanceof URLSearchParams ? named(body.get('model')) : undefined;
}

function modelInJson(text: string): string | undefined {
  try {
    return named((JSON.parse(text) as { readonly model?: unknown } | null)?.model);
  } catch {
    return undefined;
  }
}

function named(model: unknown): string | undefined {
  return typeof model === 'string' && model !== '' ? model : undefined;
}
