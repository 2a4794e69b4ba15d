/**
 * How many tokens the text of a request is, at four bytes a token: what a provider counts before it has an answer. Counts
 * what a model reads, not the JSON around it; a picture or a file in it counts nothing.
 */

/** Members whose text a model reads. */
const READ = new Set([
  'content',
  'text',
  'input',
  'output',
  'system',
  'instructions',
  'arguments',
  'thinking',
  'reasoning_content',
]);

/** Members that hold bytes, not text, and are not looked into. */
const SKIPPED = new Set([
  'image_url',
  'source',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'input_audio',
  'file',
]);

const BYTES_PER_TOKEN = 4;

/** Of all text in `values`, a whole number ≥ 1; `tools` are read as their JSON. */
export function estimateTokens(values: readonly unknown[], tools: unknown): number {
  let bytes = tools === undefined ? 0 : utf8Length(JSON.stringify(tools));
  for (const value of values) bytes += textBytes(value, true);
  return Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN));
}

function textBytes(value: unknown, isRead: boolean): number {
  if (typeof value === 'string') return isRead ? utf8Length(value) : 0;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  if (Array.isArray(value)) {
    for (const each of value) bytes += textBytes(each, isRead);
    return bytes;
  }
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof member === 'string') bytes += READ.has(name) ? utf8Length(member) : 0;
    else if (!SKIPPED.has(name)) bytes += textBytes(member, READ.has(name));
  }
  return bytes;
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // Half of a surrogate pair is two of its four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
