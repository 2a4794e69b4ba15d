/**
 * Connections to one origin, kept alive and used again. A proxy comes in between where the settings name one for the host; this machine is
 * always reached directly.
 */

import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';

/** As the usual variables have them: http_proxy, https_proxy, no_proxy. Empty: none. */
export interface ProxySettings {
  readonly http: string;
  readonly https: string;
  readonly none: string;
}

export type Connections = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** How long an attempt may take is the scenario's to say. */
const PATIENT = { headersTimeout: 0, bodyTimeout: 0 };
/**
 * As many connections as the gate lets requests through, which is as many as the cap was high: one is opened only while all
 * others are busy. A bound of its own would be a second queue, behind the gate, whose waits would pass for the provider's.
 */
const AS_THE_GATE_HAS_IT = { ...PATIENT, connections: null };

/** @throws TypeError for a proxy whose URL is none. */
export function connectionsTo(origin: string, proxies?: ProxySettings): Connections {
  const proxy = proxies === undefined ? '' : proxyFor(origin, proxies);
  if (proxies === undefined || proxy === '') return new Pool(origin, AS_THE_GATE_HAS_IT);
  // All three, since what is absent would be looked up in the environment.
  return new EnvHttpProxyAgent({ ...AS_THE_GATE_HAS_IT, httpProxy: proxy, httpsProxy: proxy, noProxy: proxies.none });
}

/** The proxy that the settings name for this origin, leaving exceptions aside; empty for none. */
export function proxyFor(origin: string, { http, https }: ProxySettings): string {
  const { hostname, protocol } = new URL(origin);
  if (isLoopback(hostname)) return '';
  return protocol === 'https:' ? https : http;
}

/** @param hostname as a URL has it: in lower case, an IPv6 address in brackets. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname) ||
    /^\[::ffff:7f[0-9a-f]{2}:/.test(hostname)
  );
}
