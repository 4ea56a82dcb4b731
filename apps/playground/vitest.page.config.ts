import { defineProject } from 'vitest/config'

// The tests that render the page. The files of a worker share one set of modules: loading React takes longer than a test.
export default defineProject({
  test: {
    name: 'playground-page',
    environment: './client/test/page-environment.ts',
    setupFiles: ['./client/test/setup.ts'],
    include: ['client/**/*.test.tsx'],
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    isolate: false,
  },
})
