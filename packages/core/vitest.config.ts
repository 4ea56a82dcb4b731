import { defineProject } from 'vitest/config'

export default defineProject({
  // The root's deadlines do not reach a project; a busy machine needs more than the default.
  test: {
    isolate: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
