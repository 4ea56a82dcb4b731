import { defineConfig } from 'vitest/config'

// Separate from the other tests: these need Chromium.
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    include: ['test/browser/**/*.test.ts'],
  },
})
