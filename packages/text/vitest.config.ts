import { defineProject } from 'vitest/config'

export default defineProject({
  // Some tests read a million characters; a busy machine needs room.
  test: { isolate: false, testTimeout: 60_000, include: ['src/**/*.test.ts', 'test/**/*.test.ts'] },
})
