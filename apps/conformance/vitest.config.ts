import { join } from 'node:path'
import { configDefaults, defineProject } from 'vitest/config'
import { SLOW_TESTS, NIGHTLY_TESTS } from './slow-tests.ts'

export default defineProject({
  test: {
    isolate: false,
    setupFiles: [join(import.meta.dirname, '../service/test/support/record-responses.ts')],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...SLOW_TESTS, ...NIGHTLY_TESTS],
  },
})
