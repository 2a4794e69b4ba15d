/**
 * The base URL of an endpoint as people write it, with or without its version and the slash at the end, and what to say of
 * one that is none. Never repeats a part that could hold a secret.
 */

import { isLoopback } from './connections.js';

export interface BaseUrl {
  /** Up to where the paths of the dialect begin, no slash at the end. */
  readonly url: string;
  /** With its port, where it is not the usual one. */
  readonly host: string;
  readonly isLoopback: boolean;
  /** Spoken in the clear. */
  readonly isPlain: boolean;
}

export type BaseUrlReading =
  | { readonly kind: 'url'; readonly baseUrl: BaseUrl }
  | { readonly kind: 'problem'; readonly message: string };

/** What a client appends; written along by mistake. */
const ENDINGS = /\/(chat\/completions|completions|messages|responses|models)$/;
const VERSION = /\/v\d+(alpha|beta)?\d*(\/|$)/;

export function readBaseUrl(text: string): BaseUrlReading {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return problem('is no URL; write it as https://api.example.com/v1');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return problem(`begins with ${url.protocol}//; expected http:// or https://`);
  }
  if (url.username !== '' || url.password !== '') {
    return problem('holds a user or a password; give the key by OPENAI_API_KEY or --api-key-file instead');
  }
  if (url.search !== '' || url.hash !== '')
    return problem('holds a query or a fragment; leave out what follows the path');
  const path = url.pathname.replace(/\/+$/, '').replace(ENDINGS, '');
  return {
    kind: 'url',
    baseUrl: {
      // A path without a version is a prefix, to which the version is added.
      url: url.origin + (VERSION.test(path) ? path : `${path}/v1`),
      host: url.host,
      isLoopback: isLoopback(url.hostname),
      isPlain: url.protocol === 'http:',
    },
  };
}

function problem(message: string): BaseUrlReading {
  return { kind: 'problem', message };
}
