/**
 * Reads bodies: what an error says of itself (`readError`), and whether a 2xx is what it claims to be (`inspectSuccess`).
 *
 * A body is text or parsed JSON of any shape, cut anywhere, possibly HTML, a stream's frames, a proxy or a cycle. What
 * cannot be read is simply not evidence. Decides no class, and looks at a bounded part of an error only.
 */

import { read } from './answer-headers.js';
import type { Draft } from './draft.js';

/** What an error says of itself. */
export interface Evidence {
  /** Its codes and types, lower-cased, with a space before, between and after. */
  readonly codes: string;
  /** Its sentences, lower-cased, each after a space. */
  readonly text: string;
  /** Raw values of members that state a wait: a duration or seconds, milliseconds, and an instant. */
  readonly delay?: string;
  readonly delayMs?: string;
  readonly resetAt?: string;
  /** Headers of an upstream, quoted in the body. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `silent`: the connection was kept open with blank lines or comments, and nothing was ever said. */
export type Inspection =
  | { readonly kind: 'complete' | 'cut' | 'silent' }
  | { readonly kind: 'error'; readonly evidence: Evidence };

/** Member names, without `_` and `-` and lower-cased, by what they are evidence of. */
const CODE = /^(?:code|type|name|status(?:code)?|error(?:type|code)|reason|limitsource)$/;
const SENTENCE = /^(?:(?:error|status)?(?:message|msg|description)|error|detail|title|quotaid)$/;
const DELAY = /^(?:retry(?:delay|after(?:seconds)?)|resetsinseconds)$/;
const RESET = /^resets?at$/;
/** Generated output, in which a member named `code` is no error code. */
const OUTPUT_MEMBER = /^(?:choices|content|output)$/;

/** Members of an answer that has something to say besides an error. */
const PAYLOADS: readonly string[] = ['choices', 'output', 'data', 'content'];

/** Longer than any error on the wire; what comes later is no longer an explanation. */
const MAX_ERROR = 16_384;
const MAX_SAID = 2_048;

/** A member with a string or a number, in JSON that may be cut or stand inside something else. */
const MEMBER = /"([\w-]{1,40})"\s*:\s*(?:"((?:[^"\\]|\\.)*)|(-?\d[\w.+-]*))/g;
const SUSPICIOUS_FRAME = /error|fail|base_resp|"code"|HTTP_STATUS/i;
const ERROR_EVENT = /^event: ?\S*(?:error|failed)/m;
const STREAM_START = /^(?:data|event|id|retry)?:/;
const KNOWN_STREAM = /"choices"|"candidates"|message_start|content_block|"response\.|"done":\s*false/;
const STREAM_END =
  /\[DONE\]|message_?stop|message-end|response\.(?:completed|incomplete)|"done":\s*true|"generated_text":\s*"|"(?:finish|stop)_?reason":\s*"(?!null"|error")\w+"/i;
/** The end marker is among the last frames; usage and `[DONE]` may follow it. */
const TAIL = 16_384;
const OUTPUT =
  /"(?:content|text|delta|thinking|reasoning_content|partial_json|arguments|response|generated_text)"\s*:\s*"[^"]/;

/** What these say together: bodies (text or parsed), and objects with members as an error body has. */
export function readError(...parts: readonly unknown[]): Evidence {
  const draft: Draft<Evidence> = { codes: ' ', text: '', headers: {} };
  for (const part of parts) {
    const text = (typeof part === 'string' ? part : textOf(part)).slice(0, MAX_ERROR).trimStart();
    const members = [...text.matchAll(MEMBER)];
    for (const [, name, string, number] of members)
      note(draft, name!, string === undefined ? number! : unquoted(string));
    if (members.length > 0 || typeof part !== 'string') continue;
    // Of a page the title only: it is full of words (links to billing, to quotas) that explain nothing.
    note(draft, 'title', text[0] === '<' ? (/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '') : text);
  }
  return draft;
}

/** Whether the body of a 2xx is a whole answer. `required`: a member that a JSON answer of this provider always has. */
export function inspectSuccess(body: unknown, contentType: string, required?: string): Inspection {
  if (typeof body !== 'string') return inspectDocument(body, required);
  const start = body.trimStart();
  if (start === '') return { kind: body === '' ? 'cut' : 'silent' };
  if (/eventstream/i.test(contentType)) return inspectBinaryFrames(body);
  if (/event-stream/i.test(contentType) || STREAM_START.test(start)) return inspectFrames(body.split(/\r?\n\r?\n/));
  if (/json/i.test(contentType) || /^[{[]/.test(start)) return inspectJson(body, required);
  return { kind: start[0] === '<' ? 'cut' : 'complete' };
}

/** Whether the text of a stream holds generated output. */
export function holdsOutput(text: string): boolean {
  return OUTPUT.test(text);
}

function inspectJson(body: string, required?: string): Inspection {
  const document = parseJson(body);
  if (document !== undefined) return inspectDocument(document, required);
  const lines = body.split('\n');
  return lines.length > 1 && parseJson(lines[0]!) !== undefined ? inspectFrames(lines) : { kind: 'cut' };
}

function inspectDocument(document: unknown, required?: string): Inspection {
  const error = errorIn(document);
  if (error !== undefined) return { kind: 'error', evidence: readError(error) };
  const isIncomplete = required && ![required, ...PAYLOADS].some((name) => read(document, name));
  return { kind: isIncomplete ? 'cut' : 'complete' };
}

/** AWS event streams: binary frames, of which only the headers are legible. */
function inspectBinaryFrames(body: string): Inspection {
  const type = /:exception-type\W*(\w+)/.exec(body)?.[1];
  return type ? { kind: 'error', evidence: readError({ type }, body) } : { kind: 'complete' };
}

function inspectFrames(frames: readonly string[]): Inspection {
  let last = '';
  for (const frame of frames) {
    const data = frame[0] === '{' ? frame : dataOf(frame);
    last = data || last;
    if (!SUSPICIOUS_FRAME.test(frame)) continue;
    const document = parseJson(data);
    const error = errorIn(document) ?? (ERROR_EVENT.test(frame) ? (document ?? data) : undefined);
    const status = /HTTP_STATUS\/(\d{3})/.exec(frame)?.[1];
    if (error !== undefined) return { kind: 'error', evidence: readError({ status }, error) };
  }
  if (last === '') return { kind: 'silent' };
  const tail = frames.join('\n').slice(-TAIL);
  const isCut = !STREAM_END.test(tail) && (KNOWN_STREAM.test(tail) || parseJson(last) === undefined);
  return { kind: isCut ? 'cut' : 'complete' };
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
  if (Array.isArray(document)) return document.map(errorIn).find((error) => error !== undefined);
  if (saysSomething(read(document, 'error'))) return document;
  if (['type', 'event_type', 'object'].some((name) => read(document, name) === 'error')) return document;
  const inside = [read(document, 'response'), read(read(document, 'choices'), '0')].map((part) => read(part, 'error'));
  const error = inside.find(saysSomething);
  if (error !== undefined) return error;
  const base = read(document, 'base_resp');
  const baseCode = read(base, 'status_code');
  if (typeof baseCode === 'number' && baseCode !== 0) return base;
  const code = read(document, 'code');
  const isFlat =
    typeof read(document, 'message') === 'string' && (typeof code === 'number' ? code >= 400 : saysSomething(code));
  return isFlat && !PAYLOADS.some((name) => read(document, name)) ? document : undefined;
}

function saysSomething(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === true || (typeof value === 'string' && value !== '');
  return !['{}', '[]'].includes(textOf(value));
}

function note(draft: Draft<Evidence>, name: string, value: string): void {
  const said = value.slice(0, Math.max(0, MAX_SAID - draft.text.length - draft.codes.length)).toLowerCase();
  const member = name.toLowerCase().replace(/[_-]/g, '');
  if (DELAY.test(member)) draft.delay ??= value;
  else if (RESET.test(member)) draft.resetAt ??= value;
  else if (member === 'retryafterms') draft.delayMs ??= value;
  else if (member === 'quotavalue') draft.text += ` limit: ${said}`;
  else if (SENTENCE.test(member) || (CODE.test(member) && said.includes(' '))) draft.text += ` ${said}`;
  // `namespace#Name` is how AWS and problem documents write `Name`.
  else if (CODE.test(member)) draft.codes += `${said.slice(said.lastIndexOf('#') + 1)} `;
  else if (/^xratelimit/.test(member)) draft.headers = { ...draft.headers, [name]: value };
}

/** As JSON without generated output; empty for what JSON cannot say. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value, (name, member) => (OUTPUT_MEMBER.test(name) ? undefined : member)) ?? '';
  } catch {
    return '';
  }
}

/** The content of a JSON string, which may be cut in the middle of an escape. */
function unquoted(content: string): string {
  return (parseJson(`"${content}"`) as string | undefined) ?? content;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
