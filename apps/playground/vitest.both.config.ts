import { defineConfig } from 'vitest/config'

// The page in Chromium and in Firefox. A file of its own: the two browsers take minutes.
export default defineConfig({
  test: {
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 180_000, interval: 200 } },
    include: ['test/both/**/*.test.ts'],
  },
})
