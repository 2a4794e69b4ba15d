import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';

/** What each prints, in part. Its last lines show that nothing is in flight and that the cap was learned. */
const PRINTS: Readonly<Record<string, readonly RegExp[]>> = {
  'fetch.mjs': [/^cap 8 → 6, rate_limited$/m, /^24 answers, 168 tokens; cap [1-6], in flight 0$/m],
  'undici.mjs': [/^24 answers: Hello!$/m, /^cap [1-6], in flight 0$/m],
  'ai-sdk.mjs': [/^12 answers: Hello! Hello! 84 tokens$/m, /^cap [1-4], in flight 0$/m],
  'langchain.mjs': [/^12 reviews: Hello!$/m, /^cap [1-8], in flight 0; the run's bound is 4$/m],
  'telemetry.mjs': [
    /^acme\/large: 8 → 6$/m,
    /^tidegate.cap 6 /m,
    /^tidegate.wait 8 waits /m,
    // Eight at once where three have a place; on a busy machine one may have ended before the last comes.
    /^tidegate.refusals [3-5] .*rate_limited/m,
  ],
};

const folder = new URL('../../examples/', import.meta.url);

describe('the examples', () => {
  it('are all tried here', () => {
    const examples = readdirSync(folder).filter((name) => name.endsWith('.mjs') && name !== 'local-provider.mjs');
    expect(examples.sort()).toEqual(Object.keys(PRINTS).sort());
  });

  it.each(Object.entries(PRINTS))('%s runs offline and prints what it says', async (name, prints) => {
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((...parts: unknown[]) => {
      printed.push(parts.map((part) => (typeof part === 'object' ? JSON.stringify(part) : String(part))).join(' '));
    });
    try {
      await import(new URL(name, folder).href);
    } finally {
      log.mockRestore();
    }
    for (const line of prints) expect(printed.join('\n')).toMatch(line);
  });
});
