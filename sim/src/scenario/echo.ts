/**
 * How a value is quoted in a message: short, on one line, whatever the value is. Never echoes more than about sixty
 * characters of it.
 */

const longest = 60;

/** Cuts a text that is too long for a message. */
export function shorten(text: string, most: number = longest): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** A scalar as it would be written in JSON; a mapping and a list by these words. */
export function echo(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(shorten(value));
    case 'number':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'nothing';
      return Array.isArray(value) ? 'a list' : 'a mapping';
    default:
      return 'nothing';
  }
}
