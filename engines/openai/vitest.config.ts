import { configDefaults, defineProject } from 'vitest/config'
import { NIGHTLY_TESTS } from './slow-tests.ts'

export default defineProject({
  test: {
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...NIGHTLY_TESTS],
  },
})
