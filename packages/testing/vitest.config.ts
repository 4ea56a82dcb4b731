import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    // Users run it in worker threads too.
    pool: 'threads',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
