import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    // The tests run the recognizer, the encoders and a browser. A busy machine needs time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    include: ['client/**/*.test.ts', 'demo/**/*.test.ts', 'server/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
