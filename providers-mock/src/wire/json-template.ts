/**
 * Fills the placeholders of a template, as `JsonTemplate` tells their rules. Knows no placeholder by name.
 */

import type { JsonTemplate } from './answer.js';

export type TemplateValue = string | number | null;

/** Undefined and absent mean the same: the placeholder has no value. */
export type TemplateValues = Readonly<Record<string, TemplateValue | undefined>>;

export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

const LONE = /^\{(\w+)\}$/;
const PLACEHOLDER = /\{(\w+)\}/g;
/** An optional part holds at least one placeholder; other brackets are text. */
const OPTIONAL = /\[([^[\]]*\{\w+\}[^[\]]*)\]/g;

/** Undefined where a placeholder outside of square brackets has no value. */
export function fillText(template: string, values: TemplateValues): string | undefined {
  if (!template.includes('{')) return template;
  const chosen = template.replace(OPTIONAL, (_, part: string) => written(part, values) ?? '');
  return written(chosen, values);
}

/** Undefined where a member or an element that must go leaves nothing, or the template is itself such a string. */
export function fillJson(template: JsonTemplate, values: TemplateValues): Json | undefined {
  if (typeof template === 'string') return fillString(template, values);
  if (typeof template !== 'object' || template === null) return template;
  if (isList(template)) {
    return template.filter((each) => isComplete(each, values)).map((each) => fillJson(each, values) as Json);
  }
  const members = Object.entries(template).map(([name, member]) => [name, fillJson(member, values)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as { readonly [member: string]: Json };
}

function fillString(template: string, values: TemplateValues): Json | undefined {
  const lone = LONE.exec(template);
  return lone ? values[lone[1]!] : fillText(template, values);
}

function isComplete(template: JsonTemplate, values: TemplateValues): boolean {
  if (typeof template === 'string') return fillString(template, values) !== undefined;
  if (typeof template !== 'object' || template === null) return true;
  const inside: readonly JsonTemplate[] = isList(template) ? template : Object.values(template);
  return inside.every((each) => isComplete(each, values));
}

function written(text: string, values: TemplateValues): string | undefined {
  let isWhole = true;
  const filled = text.replace(PLACEHOLDER, (_, name: string) => {
    const value = values[name];
    if (value === undefined) isWhole = false;
    return String(value);
  });
  return isWhole ? filled : undefined;
}

function isList(template: JsonTemplate): template is readonly JsonTemplate[] {
  return Array.isArray(template);
}
