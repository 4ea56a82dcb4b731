import { defineProject } from 'vitest/config'

export default defineProject({
  // hundreds of megabytes and real speech pass through; a busy machine needs time
  test: { testTimeout: 60_000, hookTimeout: 60_000, include: ['src/**/*.test.ts', 'test/**/*.test.ts'] },
})
