import { defineProject } from 'vitest/config'

export default defineProject({
  test: { isolate: false, testTimeout: 180_000, include: ['test/**/*.test.ts'] },
})
