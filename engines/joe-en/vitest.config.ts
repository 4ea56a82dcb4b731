import { defineProject } from 'vitest/config'

export default defineProject({
  test: { isolate: false, testTimeout: 60_000, include: ['test/**/*.test.ts'] },
})
