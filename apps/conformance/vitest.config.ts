import { defineProject } from 'vitest/config'

export default defineProject({
  // a whole service runs: every rule of the interface is asked of it once
  test: { testTimeout: 60_000, hookTimeout: 300_000, include: ['test/**/*.test.ts'] },
})
