import { defineProject } from 'vitest/config'

export default defineProject({
  // some tests speak and recognize for real
  test: { testTimeout: 60_000, hookTimeout: 60_000, include: ['src/**/*.test.ts', 'test/**/*.test.ts'] },
})
