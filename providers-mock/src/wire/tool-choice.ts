/**
 * Which tool an answer calls, and with what: always the same for the same request. A real model chooses; this one calls a
 * tool when it must, or when it may and no result of a tool is waiting for its words.
 */

import { type AskedTool, isObject, type JsonObject } from './asked.js';

/** How a request puts it. `named`: that tool and no other. */
export type ToolWish =
  | { readonly kind: 'none' | 'auto' | 'required' }
  | { readonly kind: 'named'; readonly name: string };

/** @param hasResult the conversation ends with the result of a tool. */
export function chooseTool(tools: readonly AskedTool[], wish: ToolWish, hasResult: boolean): AskedTool | null {
  switch (wish.kind) {
    case 'none':
      return null;
    case 'auto':
      return hasResult ? null : (tools[0] ?? null);
    case 'required':
      return tools[0] ?? null;
    case 'named':
      return tools.find(({ name }) => name === wish.name) ?? null;
  }
}

/** Deeper schemas are answered with an empty object: one that names itself never ends. */
const DEEPEST = 8;

/** Arguments that fit a usual JSON Schema (`type`, `properties`, `enum`, `const`, `default`, `minimum`, `items`), as JSON. */
export function argumentsFor({ schema }: AskedTool): string {
  const value = valueFor(schema, 0);
  return JSON.stringify(isObject(value) ? value : {});
}

function valueFor(schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > DEEPEST) return {};
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  const first = firstAlternative(schema);
  if (first !== undefined) return valueFor(first, depth + 1);
  switch (typeOf(schema)) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? Math.ceil(schema.minimum) : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return isObject(schema.items) ? [valueFor(schema.items, depth + 1)] : [];
    default:
      return objectFor(schema, depth);
  }
}

function objectFor({ properties }: JsonObject, depth: number): JsonObject {
  const members = isObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(members.map(([name, schema]) => [name, valueFor(schema, depth + 1)]));
}

function firstAlternative({ anyOf, oneOf }: JsonObject): unknown {
  return [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0)?.[0 as never];
}

/** Of a list of types the first; Gemini writes them in capitals. */
function typeOf({ type }: JsonObject): string {
  const first: unknown = Array.isArray(type) ? type[0] : type;
  return typeof first === 'string' ? first.toLowerCase() : 'object';
}
