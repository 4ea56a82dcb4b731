import { defineConfig } from 'vitest/config'

// Apart from the other tests, since these need a Chromium on the machine.
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    include: ['test/browser/**/*.test.ts'],
  },
})
