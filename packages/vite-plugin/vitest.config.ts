import { defineProject } from 'vitest/config'

export default defineProject({
  // real speech and real builds; a busy machine needs room
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'player/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
