import { defineProject } from 'vitest/config'

export default defineProject({
  // thousands of forms are generated; a busy machine needs time
  test: {
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
