import { defineConfig } from 'vitest/config'

// The page in Chromium and in Firefox, and axe on its errors in Chromium. Apart from the other tests: these take minutes.
export default defineConfig({
  test: {
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 180_000, interval: 200 } },
    include: ['test/both/**/*.test.ts'],
  },
})
