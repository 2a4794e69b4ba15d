import { defineConfig } from 'vitest/config';

// The tests run on the sources: the `@tidegate/source` condition of each package's exports points there. Only tests of the
// command line start what is built, which `npm test` builds first. Threads without isolation prove that no module keeps
// hidden state. The timeout is for hangs alone: some tests start processes or compile, on machines that are busy.
export default defineConfig({
  ssr: { resolve: { conditions: ['@tidegate/source', 'node', 'import', 'default'] } },
  test: {
    include: ['*/test/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    // All cores: by default one is left to a watcher that does not run.
    maxWorkers: '100%',
    testTimeout: 60_000,
  },
});
