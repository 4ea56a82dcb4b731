import { configDefaults, defineProject } from 'vitest/config'
import { SLOW_TESTS } from './slow-tests.ts'

export default defineProject({
  test: {
    isolate: false,
    testTimeout: 60_000,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...SLOW_TESTS],
  },
})
