/** The rules of templates. */

import { describe, expect, it } from 'vitest';
import { fillJson, fillText } from '../../src/wire/json-template.js';

const VALUES = { code: 429, type: 'tokens', nothing: null, wait: '5s', gone: undefined };

describe('text', () => {
  it.each([
    ['as it is', 'as it is'],
    ['code {code}, {type}', 'code 429, tokens'],
    ['{nothing}', 'null'],
    // A part in brackets goes with its placeholder.
    ['Slow down.[ Try again in {wait}.]', 'Slow down. Try again in 5s.'],
    ['Slow down.[ Try again in {gone}.]', 'Slow down.'],
    ['a[b{wait}{gone}]c[d{wait}]', 'acd5s'],
    // Brackets without a placeholder are text, and so are braces that are none.
    ['[503] {code}', '[503] 429'],
    ['{ code }', '{ code }'],
    ['needs {gone}', undefined],
    ['needs {unheard}', undefined],
  ])('%s becomes %s', (template, text) => {
    expect(fillText(template, VALUES)).toBe(text);
  });
});

describe('JSON', () => {
  it.each([
    // A lone placeholder keeps its type; in company it is text.
    ['{code}', 429],
    ['{nothing}', null],
    ['0{code}', '0429'],
    [
      { a: '{code}', b: { c: '{type}' }, d: [1, true, null] },
      { a: 429, b: { c: 'tokens' }, d: [1, true, null] },
    ],
    // A member without a value goes alone, an element of a list as a whole.
    [{ a: '{gone}', b: 1 }, { b: 1 }],
    [{ a: { b: '{gone}' } }, { a: {} }],
    [[{ kept: '{wait}' }, { lost: '{gone}', also: 1 }, ['{gone}'], '{gone}'], [{ kept: '5s' }]],
    ['{gone}', undefined],
  ])('%j becomes %j', (template, value) => {
    expect(fillJson(template, VALUES)).toEqual(value);
  });
});
