import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // the agent's tests really speak and really recognize; two small cores need room
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
