import { defineConfig } from 'vitest/config';

// The tests run on the sources: the `@tidegate/source` condition of each package's exports points there, so a stale
// `dist` can never pass a test. Threads without isolation prove that no module keeps hidden state.
export default defineConfig({
  ssr: { resolve: { conditions: ['@tidegate/source', 'node', 'import', 'default'] } },
  test: {
    include: ['*/test/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
  },
});
