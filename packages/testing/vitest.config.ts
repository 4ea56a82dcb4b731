import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    // Users run it in worker threads too.
    pool: 'threads',
    isolate: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
