/**
 * Why an attempt was no success, in one word of a closed set: for counting, and for telling what to check. Holds nothing
 * of what was said: no host, no key, no text of an answer.
 */

export interface Unsuccessful {
  /** Absent where no head of an answer arrived. */
  readonly status: number | undefined;
  readonly contentType: string;
  /** As the reader gives it: a document, or text. */
  readonly body: unknown;
  readonly error: Error | undefined;
}

/** The answer was longer than any model's. */
export class EndlessAnswerError extends Error {
  override readonly name = 'EndlessAnswerError';
  readonly code = 'ENDLESS';
}

const NETWORK: readonly (readonly [RegExp, string])[] = [
  [/^ENDLESS$/, 'endless-answer'],
  [/^ECONNREFUSED$/, 'connection-refused'],
  [/^(ENOTFOUND|EAI_AGAIN|EAI_FAIL)$/, 'unknown-host'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, 'connection-reset'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/, 'connect-timeout'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/, 'unreachable'],
  [/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH)/, 'tls'],
  [/^HPE_/, 'not-http'],
];

/** Whether a whole answer came, however bad. */
export function isAnswer(cause: string | undefined): boolean {
  return cause !== undefined && /^(status-|redirect$|html-page$|not-json$|empty-answer$|error-in-)/.test(cause);
}

export function causeOf({ status, contentType, body, error }: Unsuccessful): string {
  if (status === undefined) return error === undefined ? 'no-answer' : networkCause(error);
  if (status >= 300 && status < 400) return 'redirect';
  if (status < 200 || status >= 400) return `status-${status}`;
  if (error !== undefined) return networkCause(error) === 'endless-answer' ? 'endless-answer' : 'cut-off';
  if (/event-stream/i.test(contentType) && body !== '')
    return /^(event: error|data: ?\{"error")/m.test(String(body)) ? 'error-in-stream' : 'cut-off';
  if (typeof body !== 'string') return 'error-in-200';
  if (body.trim() === '') return 'empty-answer';
  return /html/i.test(contentType) || /^\s*<(!doctype|html)/i.test(body) ? 'html-page' : 'not-json';
}

/** A failure may come wrapped: by what opens connections, or by a proxy's. */
function networkCause(error: unknown): string {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    const { code = '' } = each as NodeJS.ErrnoException;
    const known = NETWORK.find(([codes]) => codes.test(code));
    if (known !== undefined) return known[1];
    if (each.name === 'HTTPParserError') return 'not-http';
    if (/proxy/i.test(each.message)) return 'proxy';
  }
  return 'network';
}
