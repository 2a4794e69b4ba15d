/**
 * Reads bodies: what an error body says (`readError`), and whether a 2xx is what it claims to be (`inspectSuccess`).
 *
 * A body is text or parsed JSON of any shape, cut anywhere, possibly HTML, a stream's frames, a proxy or a cycle. What
 * cannot be read is simply not evidence: nothing here throws, decides a class, or looks at more than a bounded part of
 * an error.
 */
import { read } from './answer-headers.js';

/** What an error says of itself. */
export interface Evidence {
  /** Its codes and types, lower-cased, with a space before, between and after. */
  readonly codes: string;
  /** Its sentences. */
  readonly text: string;
  /** Raw values of members that state a wait: a duration or seconds, milliseconds, and an instant. */
  readonly delay?: unknown;
  readonly delayMs?: unknown;
  readonly resetAt?: unknown;
  /** Headers of an upstream, quoted in the body. */
  readonly headers?: unknown;
}

/** `silent`: the connection was kept open with blank lines or comments, and nothing was ever said. */
export type Inspection =
  | { readonly kind: 'complete' | 'cut' | 'silent' }
  | { readonly kind: 'error'; readonly evidence: Evidence };

type Draft = { -readonly [K in keyof Evidence]: Evidence[K] };

/** Member name without `_` and `-`, lower-cased → what it is evidence of. */
const MEMBERS: Readonly<
  Record<string, 'codes' | 'text' | 'delay' | 'delayMs' | 'resetAt' | 'quota' | 'headers' | 'skip'>
> = {
  code: 'codes',
  type: 'codes',
  status: 'codes',
  statuscode: 'codes',
  errortype: 'codes',
  errorcode: 'codes',
  reason: 'codes',
  limitsource: 'codes',
  message: 'text',
  error: 'text',
  detail: 'text',
  msg: 'text',
  statusmsg: 'text',
  title: 'text',
  errormessage: 'text',
  errordescription: 'text',
  quotaid: 'text',
  quotavalue: 'quota',
  retrydelay: 'delay',
  resetsinseconds: 'delay',
  retryafter: 'delay',
  retryafterseconds: 'delay',
  retryafterms: 'delayMs',
  resetsat: 'resetAt',
  resetat: 'resetAt',
  headers: 'headers',
  choices: 'skip',
  content: 'skip',
  output: 'skip',
};

/** Enough for every error seen on the wire; what lies deeper or later than this is no longer an explanation. */
const MAX_NODES = 200;
const MAX_DEPTH = 7;
const MAX_TEXT = 4_096;
const MAX_ERROR_BODY = 65_536;

/** A member in JSON text that does not parse, because it is cut or embedded in something else. */
const LEAF = /"([\w-]{1,40})"\s*:\s*(?:"((?:[^"\\]|\\.)*)|(-?\d[\d.]*))/g;
const SUSPICIOUS_FRAME = /error|fail|base_resp|"code"|HTTP_STATUS/i;
const ERROR_EVENT = /^event: ?\S*(?:error|failed)/m;
const STREAM_START = /^(?:data|event|id|retry)?:/;
const KNOWN_STREAM = /"choices"|"candidates"|message_start|content_block|"response\.|"done":\s*false/;
const STREAM_END =
  /\[DONE\]|message_?stop|message-end|response\.(?:completed|incomplete)|"done":\s*true|"generated_text":\s*"|"(?:finish|stop)_?reason":\s*"(?!null"|error")/i;
/** The end marker is among the last frames; usage and `[DONE]` may follow it. */
const TAIL = 16_384;
const OUTPUT =
  /"(?:content|text|delta|thinking|reasoning_content|partial_json|arguments|response|generated_text)"\s*:\s*"[^"]/;

/** The evidence in the body of a refusal or failure, or in an SDK's error object. */
export function readError(body: unknown, ...codes: readonly unknown[]): Evidence {
  const draft: Draft = { codes: ' ', text: '' };
  for (const code of codes) note(draft, 'code', code);
  if (typeof body === 'string') readErrorText(body, draft);
  else walk(body, 'error', draft, { left: MAX_NODES }, 0);
  return draft;
}

/**
 * Whether the body of a 2xx is a whole answer. `required` names a member that a JSON answer of this provider always has.
 */
export function inspectSuccess(body: unknown, contentType: string, required?: string): Inspection {
  if (typeof body !== 'string') return inspectDocument(body, required);
  if (body.trim() === '') return { kind: body === '' ? 'cut' : 'silent' };
  const start = body.trimStart();
  if (/eventstream/i.test(contentType)) return inspectBinaryFrames(body);
  if (STREAM_START.test(start)) return inspectFrames(body.split(/\r?\n\r?\n/));
  if (/json/i.test(contentType) || start[0] === '{' || start[0] === '[') return inspectJson(body, required);
  return { kind: start[0] === '<' || /html/i.test(contentType) ? 'cut' : 'complete' };
}

/** Whether the text of a stream holds generated output. */
export function holdsOutput(text: string): boolean {
  return OUTPUT.test(text);
}

function inspectJson(body: string, required?: string): Inspection {
  const document = parseJson(body);
  if (document !== undefined) return inspectDocument(document, required);
  const lines = body.trimEnd().split('\n');
  return lines.length > 1 && parseJson(lines[0]!) !== undefined ? inspectFrames(lines) : { kind: 'cut' };
}

function inspectDocument(document: unknown, required?: string): Inspection {
  const error = errorIn(document);
  if (error !== undefined) return { kind: 'error', evidence: readError(error) };
  const has = (name: string): boolean => read(document, name) !== undefined;
  return { kind: required && !['data', 'output', 'content', required].some(has) ? 'cut' : 'complete' };
}

/** AWS event streams: binary frames, of which only the headers are legible. */
function inspectBinaryFrames(body: string): Inspection {
  const exception = /:exception-type\W*(\w+)/.exec(body);
  return exception ? { kind: 'error', evidence: readError(body, exception[1]) } : { kind: 'complete' };
}

function inspectFrames(frames: readonly string[]): Inspection {
  let last = '';
  for (const frame of frames) {
    const data = frame[0] === '{' ? frame : dataOf(frame);
    if (data === '') continue;
    last = data;
    if (!SUSPICIOUS_FRAME.test(frame)) continue;
    const document = parseJson(data);
    const error = errorIn(document) ?? (ERROR_EVENT.test(frame) ? (document ?? data) : undefined);
    if (error !== undefined)
      return { kind: 'error', evidence: readError(error, /HTTP_STATUS\/(\d{3})/.exec(frame)?.[1]) };
  }
  if (last === '') return { kind: 'silent' };
  const tail = frames.join('\n').slice(-TAIL);
  if (STREAM_END.test(tail)) return { kind: 'complete' };
  return { kind: KNOWN_STREAM.test(tail) || parseJson(last) === undefined ? 'cut' : 'complete' };
}

function dataOf(frame: string): string {
  const lines = frame.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines
    .map((line) => line.slice(5))
    .join('\n')
    .trim();
}

/** The part of a document that is an error; undefined if none is. */
function errorIn(document: unknown): unknown {
  if (Array.isArray(document))
    return document
      .slice(0, MAX_NODES)
      .map(errorIn)
      .find((error) => error !== undefined);
  if (saysError(read(document, 'error'))) return document;
  if (['type', 'event_type', 'object'].some((name) => read(document, name) === 'error')) return document;
  const parts = [read(document, 'response'), read(read(document, 'choices'), '0')];
  const part = parts.find((candidate) => saysError(read(candidate, 'error')));
  if (part !== undefined) return part;
  const base = read(document, 'base_resp');
  const baseCode = read(base, 'status_code');
  if (typeof baseCode === 'number' && baseCode !== 0) return base;
  const flat = ['code', 'message'].every((name) => saysError(read(document, name)));
  return flat && !['choices', 'output', 'data', 'content'].some((name) => read(document, name)) ? document : undefined;
}

function saysError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === true || (typeof value === 'string' && value !== '');
  try {
    return Object.keys(value).length > 0;
  } catch {
    return true;
  }
}

function readErrorText(body: string, draft: Draft): void {
  const start = body.slice(0, MAX_ERROR_BODY).trimStart();
  if (start[0] === '<') {
    // The title only: a page is full of words (links to billing, to quotas) that explain nothing.
    note(draft, 'title', /<title[^>]*>([^<]*)/i.exec(start)?.[1] ?? '');
    return;
  }
  const document = body.length > MAX_ERROR_BODY || !/^[{["]/.test(start) ? undefined : parseJson(body);
  if (document !== undefined) {
    walk(document, 'error', draft, { left: MAX_NODES }, 0);
    return;
  }
  const leaves = [...start.matchAll(LEAF)].slice(0, MAX_NODES);
  for (const [, name, text, number] of leaves) note(draft, name!, text ?? number);
  if (leaves.length === 0) note(draft, 'message', start);
}

function walk(value: unknown, name: string, draft: Draft, budget: { left: number }, depth: number): void {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH || typeof value === 'function') return;
  if (typeof value !== 'object' || value === null || MEMBERS[plain(name)] !== undefined) note(draft, name, value);
  if (typeof value !== 'object' || value === null || MEMBERS[plain(name)] === 'skip') return;
  for (const key of keysOf(value)) {
    walk(read(value, key), Array.isArray(value) ? name : key, draft, budget, depth + 1);
  }
}

function note(draft: Draft, name: string, value: unknown): void {
  const kind = MEMBERS[plain(name)];
  if (kind === undefined || kind === 'skip' || value === undefined || value === null) return;
  if (kind === 'headers' || kind === 'delay' || kind === 'delayMs' || kind === 'resetAt') draft[kind] ??= value;
  if (typeof value !== 'string' && typeof value !== 'number') return;
  const text = String(value).slice(0, MAX_TEXT);
  if (kind === 'quota' && text === '0') draft.text += ' limit: 0';
  if (kind === 'text' && draft.text.length < MAX_TEXT) draft.text += ` ${text}`;
  if (kind === 'codes' && draft.codes.length < MAX_TEXT) {
    if (text.includes(' ')) draft.text += ` ${text}`;
    // `namespace#Name:http://…` is how AWS and problem documents write `Name`.
    draft.codes += `${text
      .slice(text.lastIndexOf('#') + 1)
      .split(':', 1)[0]!
      .toLowerCase()
      .replaceAll(' ', '_')} `;
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function keysOf(value: object): readonly string[] {
  try {
    return Object.keys(value).slice(0, MAX_NODES);
  } catch {
    return [];
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
