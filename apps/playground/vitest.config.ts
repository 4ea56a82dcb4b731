import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    // the recognizer, the encoders and a browser really run; a busy machine needs room
    testTimeout: 120_000,
    hookTimeout: 120_000,
    exclude: ['test/browser/**'],
    include: ['client/**/*.test.ts', 'demo/**/*.test.ts', 'server/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
