import { configDefaults, defineProject } from 'vitest/config'
import { SLOW_TESTS } from './slow-tests.ts'

export default defineProject({
  test: {
    isolate: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...SLOW_TESTS],
    // the agent's tests really speak and really recognize; two small cores need room
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
