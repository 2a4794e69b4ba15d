/**
 * What to tell a person of an answer that stops a live run: what it means and what to check, the usual mistakes first.
 * Says nothing of an answer but its status, its kind and its error code, since a body may repeat a key, and
 * names no host, since a trace holds none.
 */

import type { Heard } from './http-transport.js';

/** How the request that was answered had been made. */
export interface Circumstances {
  readonly wire: 'openai' | 'anthropic';
  readonly hasKey: boolean;
  /** The variable that names a proxy in between; undefined: there is none. */
  readonly proxyVariable: string | undefined;
}

/** An error code as providers write them; anything else could be text that repeats a secret. */
const CODE = /^[a-z][a-z_]{2,39}(?:\.[a-z_]+)?$/;
const NO_SUCH_MODEL =
  /model[ _.:'"`\w/-]*(not[ _]?found|not exist|not supported|unknown|invalid)|(unknown|invalid|no such)[ _]model/i;

/** What these words say of a field is that the endpoint does not take it, and not that its value is too large. */
const NOT_TAKEN = /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|extra/i;
/** Fields of a request that some endpoints do not take, and what to do. */
const FIELDS: readonly (readonly [name: string, check: string])[] = [
  ['max_completion_tokens', '--max-tokens-field max_tokens, or live.maxTokensField in the scenario'],
  ['max_tokens', '--max-tokens-field max_completion_tokens, or live.maxTokensField in the scenario'],
  ['stream_options', '--no-stream: the endpoint tells no usage in streams'],
];

/** Why every further request would fare the same; undefined if it would not. */
export function hopelessness(heard: Heard, circumstances: Circumstances): string | undefined {
  if (heard.class === 'ok') return undefined;
  if (fieldNotTaken(heard) !== undefined) return explain(heard, circumstances);
  if (heard.class === 'auth' || heard.class === 'quota_exhausted' || isUnknownModel(heard))
    return explain(heard, circumstances);
  return heard.cause === 'redirect' ? explain(heard, circumstances) : undefined;
}

/** @param heard no success, or a success that holds no answer. */
export function explain(heard: Heard, circumstances: Circumstances): string {
  const { headline, check } = findingOf(heard, circumstances);
  const { proxyVariable } = circumstances;
  const proxy = proxyVariable === undefined ? [] : [`${proxyVariable} puts a proxy in between: is it still right?`];
  return [headline, ...[...check, ...proxy].map((line) => `  check: ${line}`)].join('\n');
}

interface Finding {
  readonly headline: string;
  readonly check: readonly string[];
}

const PATH = 'the base URL: its host, its path, with or without /v1';

function findingOf(heard: Heard, { wire, hasKey }: Circumstances): Finding {
  const answer = `the endpoint answered ${heard.status}${codeIn(heard.body)}`;
  const field = fieldNotTaken(heard);
  if (field !== undefined) return { headline: `${answer}: it does not take ${field[0]}`, check: [field[1]] };
  if (isUnknownModel(heard)) {
    return {
      headline: `${answer}: there is no such model, or no such path`,
      check: [`the model id: ${heard.model}`, PATH],
    };
  }
  if (heard.class === 'auth') {
    const key = hasKey
      ? 'the key: whole, without spaces or quotes, of this provider and allowed to use this model'
      : 'the key: none was sent; set OPENAI_API_KEY or give --api-key-file';
    const form = wire === 'openai' ? 'Authorization: Bearer' : 'x-api-key';
    return {
      headline: `${answer}: the key is not accepted`,
      check: [key, `it is sent as ${form} (--wire ${wire})`, PATH],
    };
  }
  if (heard.class === 'quota_exhausted') {
    return {
      headline: `${answer}: the account's quota is used up, and waiting does not help`,
      check: [
        'the balance, the spending limit and the daily quota of the account',
        'that the key belongs to that account',
      ],
    };
  }
  return CAUSES[heard.cause ?? 'no-content'] ?? { headline: answer, check: checksOfStatus(heard) };
}

const CAUSES: Readonly<Record<string, Finding>> = {
  redirect: {
    headline: 'the endpoint redirects elsewhere, which is not followed: the key would go along',
    check: [PATH, 'http or https'],
  },
  'html-page': {
    headline: 'the endpoint answered with a web page, not with an answer of a model',
    check: [PATH, 'that nobody has to sign in on this network first'],
  },
  'not-json': {
    headline: 'the endpoint answered 200 with something that is not JSON',
    check: [PATH, 'the wire: --wire openai or anthropic'],
  },
  'empty-answer': {
    headline: 'the endpoint answered 200 with nothing in it',
    check: [PATH, 'what the server has to say in its own log'],
  },
  'error-in-200': {
    headline: 'the endpoint answered 200 with an error in it',
    check: ['the model id', 'the key', 'what the server has to say in its own log'],
  },
  'no-content': {
    headline: 'the endpoint answered 200, but with no answer of a model in it',
    check: [
      'tokens.max: a model that reasons needs more than a few (max_tokens too small)',
      'the wire: --wire openai or anthropic',
      PATH,
    ],
  },
  'connection-refused': {
    headline: 'nobody listens there',
    check: ['that the server runs', 'the port', 'http or https'],
  },
  'unknown-host': {
    headline: 'the name of the host is not known',
    check: ['the spelling of the base URL', 'the network and its name server'],
  },
  unreachable: { headline: 'the endpoint cannot be reached', check: ['the network, a VPN, a firewall'] },
  'connect-timeout': {
    headline: 'the endpoint does not answer',
    check: ['the network, a VPN, a firewall', 'the port'],
  },
  timeout: {
    headline: 'the endpoint took the request and did not answer in time',
    check: ['what the server has to say in its own log', PATH],
  },
  'connection-reset': {
    headline: 'the endpoint closed the connection without an answer',
    check: ['http or https', 'what the server has to say in its own log'],
  },
  'cut-off': {
    headline: 'the endpoint broke off its answer',
    check: ['a gateway in between and its time limits', '--no-stream, if it cannot stream'],
  },
  'endless-answer': { headline: 'the endpoint sends an answer that does not end', check: [PATH] },
  tls: {
    headline: 'no secure connection',
    check: [
      'http or https',
      "the server's certificate; one of your own: NODE_EXTRA_CA_CERTS",
      'the clock of this machine',
    ],
  },
  'not-http': { headline: 'the endpoint does not speak HTTP', check: ['the port', 'http or https'] },
  network: { headline: 'the connection failed', check: ['the network', 'the base URL: its host, port, http or https'] },
  proxy: {
    headline: 'the proxy in between refused',
    check: ['the proxy variables: http_proxy, https_proxy, no_proxy'],
  },
};

function checksOfStatus({ status }: Heard): readonly string[] {
  if (status === 405) return [PATH];
  return status !== undefined && status >= 500
    ? ['whether the provider has an outage', 'what the server has to say in its own log']
    : ['tokens.max: not above what the model allows', '--no-stream, if it cannot stream', PATH];
}

/** By its name in `param`, where the error has one; else the first that its words name. */
function fieldNotTaken({ class: verdict, body }: Heard): (typeof FIELDS)[number] | undefined {
  if (verdict !== 'bad_request') return undefined;
  const words = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  if (!NOT_TAKEN.test(words)) return undefined;
  const param = fieldOf(fieldOf(body, 'error'), 'param');
  const at = ([name]: (typeof FIELDS)[number]): number =>
    name === param ? -1 : words.search(new RegExp(`\\b${name}\\b`));
  const named = FIELDS.filter((field) => at(field) !== -1 || field[0] === param);
  return named.sort((a, b) => at(a) - at(b))[0];
}

function isUnknownModel({ class: verdict, status, body }: Heard): boolean {
  if (verdict !== 'bad_request') return false;
  return status === 404 || NO_SUCH_MODEL.test(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
}

function codeIn(body: unknown): string {
  const error = fieldOf(body, 'error');
  const code = [fieldOf(error, 'code'), fieldOf(error, 'type'), fieldOf(body, 'code')].find(
    (each) => typeof each === 'string' && CODE.test(each),
  );
  return code === undefined ? '' : ` (${code})`;
}

function fieldOf(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? (from as Readonly<Record<string, unknown>>)[name] : undefined;
}
