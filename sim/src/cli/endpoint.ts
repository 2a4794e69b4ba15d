/**
 * The endpoint of a live run or of a pressure test, from the command line, the environment and the scenario's hints, in
 * this order. Says what is wrong and what to do; never repeats what a variable holds.
 */

import type { LiveHints } from '../scenario/scenario.js';
import { type BaseUrl, readBaseUrl } from '../transport/base-url.js';
import type { MaxTokensField } from '../transport/client-dialect.js';
import { type ProxySettings, proxyFor } from '../transport/connections.js';
import { readKey } from './api-key.js';
import type { EndpointOptions } from './live-options.js';

export interface LiveEndpoint {
  readonly baseUrl: BaseUrl;
  readonly wire: 'openai' | 'anthropic';
  /** Null: nobody says; the scenario's own name will do. */
  readonly model: string | null;
  readonly apiKey: string | null;
  /** A variable or a file; null where none is sent. */
  readonly keyFrom: string | null;
  readonly stream: boolean;
  readonly maxTokensField: MaxTokensField;
  readonly proxies: ProxySettings;
  /** The variable of the proxy in between, and its host. */
  readonly proxy: { readonly variable: string; readonly host: string } | undefined;
}

export type EndpointReading =
  | { readonly kind: 'endpoint'; readonly endpoint: LiveEndpoint }
  | { readonly kind: 'problem'; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

export function readEndpoint(options: EndpointOptions, hints: LiveHints, env: Environment): EndpointReading {
  const wire = options.wire ?? hints.wire ?? 'openai';
  const names = variablesOf(hints, wire);
  const given = urlOf(options, names.baseUrl, env);
  if (given === undefined) {
    return problem(`no endpoint: give --base-url URL, or set ${names.baseUrl.join(' or ')}`);
  }
  const reading = readBaseUrl(given.text);
  if (reading.kind === 'problem') return problem(`${given.from}: ${reading.message}`);
  const { baseUrl } = reading;
  const key = options.key
    ? readKey({ file: options.apiKeyFile, variables: names.apiKey, env })
    : ({ kind: 'none' } as const);
  if (key.kind === 'problem') return key;
  if (key.kind === 'none' && options.key && !baseUrl.isLoopback) {
    const ways = `set ${names.apiKey.join(' or ')}, give --api-key-file FILE, or --no-key if it needs none`;
    return problem(`no key for ${baseUrl.host}: ${ways}`);
  }
  const proxies = proxiesOf(env);
  const proxy = proxyOf(baseUrl, proxies, env);
  if (proxy === 'bad')
    return problem('the proxy variables hold no URL; write them as http://proxy.example.com:8080, or unset them');
  return {
    kind: 'endpoint',
    endpoint: {
      baseUrl,
      wire,
      model: options.model ?? names.model.map((name) => env[name]).find((value) => (value ?? '') !== '') ?? null,
      ...(key.kind === 'key' ? { apiKey: key.key, keyFrom: key.from } : { apiKey: null, keyFrom: null }),
      stream: options.stream && hints.stream !== false,
      maxTokensField: options.maxTokensField ?? hints.maxTokensField ?? 'max_tokens',
      proxies,
      proxy,
    },
  };
}

function urlOf(
  { baseUrl }: EndpointOptions,
  names: readonly string[],
  env: Environment,
): { readonly text: string; readonly from: string } | undefined {
  if (baseUrl !== undefined) return { text: baseUrl, from: '--base-url' };
  const name = names.find((each) => (env[each] ?? '') !== '');
  return name === undefined ? undefined : { text: env[name] as string, from: `$${name}` };
}

/** Which variables to look at, the first that is set counts. */
function variablesOf(hints: LiveHints, wire: 'openai' | 'anthropic') {
  const usual = (what: string): readonly string[] =>
    wire === 'anthropic' ? [`ANTHROPIC_${what}`, `OPENAI_${what}`] : [`OPENAI_${what}`];
  return {
    baseUrl: hints.baseUrlEnv === undefined ? usual('BASE_URL') : [hints.baseUrlEnv],
    apiKey: hints.apiKeyEnv === undefined ? usual('API_KEY') : [hints.apiKeyEnv],
    model: hints.modelEnv === undefined ? usual('MODEL') : [hints.modelEnv],
  };
}

function proxiesOf(env: Environment): ProxySettings {
  const value = (name: string): string => env[name] ?? env[name.toUpperCase()] ?? '';
  return { http: value('http_proxy'), https: value('https_proxy'), none: value('no_proxy') };
}

function proxyOf({ url }: BaseUrl, proxies: ProxySettings, env: Environment): LiveEndpoint['proxy'] | 'bad' {
  const proxy = proxyFor(new URL(url).origin, proxies);
  if (proxy === '') return undefined;
  const name = url.startsWith('https:') ? 'https_proxy' : 'http_proxy';
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  return URL.canParse(proxy) ? { variable, host: new URL(proxy).host } : 'bad';
}

function problem(message: string): EndpointReading {
  return { kind: 'problem', message };
}
