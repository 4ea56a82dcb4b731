import { defineProject } from 'vitest/config'

export default defineProject({
  // the recognizer and the encoders really run; a busy machine needs room
  test: {
    setupFiles: ['test/support/described-statuses.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
