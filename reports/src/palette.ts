/**
 * The colours of a report, for a light and a dark background; one source for the page and for the charts. The hues come
 * from the Okabe–Ito palette (safe for the common kinds of colour blindness), darkened or lightened until every line
 * has a contrast of at least 3:1 and every text of at least 4.5:1 on both of its backgrounds. Never the only carrier of
 * a meaning: the charts add dashes, markers and fills, the page adds words.
 */

import type { Series, Tone } from './report.js';

export type ThemeName = 'light' | 'dark';

/** Every colour is `#rrggbb`, so that two hexadecimal digits of opacity can be appended. */
export interface Palette {
  readonly page: string;
  readonly card: string;
  readonly border: string;
  readonly grid: string;
  readonly text: string;
  readonly quiet: string;
  readonly tones: Readonly<Record<Tone, string>>;
  readonly roles: Readonly<Record<Series['role'], string>>;
  /** For the second and later series of one role, in turn. */
  readonly spare: readonly string[];
}

export const palettes: Readonly<Record<ThemeName, Palette>> = {
  light: {
    page: '#f4f7fa',
    card: '#ffffff',
    border: '#d3dce5',
    grid: '#e4eaf0',
    text: '#13202c',
    quiet: '#4c5c6c',
    tones: { good: '#06703f', bad: '#b3261e', warn: '#855600', neutral: '#3f5468' },
    roles: { primary: '#0072b2', secondary: '#00916a', limit: '#13202c', bad: '#d04f00', muted: '#6b7785' },
    spare: ['#a8488a', '#96690a', '#5b5bd6'],
  },
  dark: {
    page: '#0d141b',
    card: '#151f29',
    border: '#2c3a48',
    grid: '#243240',
    text: '#e7eef5',
    quiet: '#a4b3c2',
    tones: { good: '#4fd69c', bad: '#ff8a80', warn: '#f2c14e', neutral: '#a9bacb' },
    roles: { primary: '#56b4e9', secondary: '#2ec29a', limit: '#f0f4f8', bad: '#ff8f45', muted: '#8b9aaa' },
    spare: ['#e09bca', '#e3b23c', '#a9a9ff'],
  },
};
