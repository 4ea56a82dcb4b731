import { defineProject } from 'vitest/config'

export default defineProject({
  // The test checks a running service against every rule.
  test: { testTimeout: 60_000, hookTimeout: 300_000, include: ['test/**/*.test.ts'] },
})
