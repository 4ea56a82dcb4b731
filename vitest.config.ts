import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*'],
    // the recognizer and the encoders really run in tests; two small cores need room
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
