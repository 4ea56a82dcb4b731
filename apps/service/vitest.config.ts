import { join } from 'node:path'
import { configDefaults, defineProject } from 'vitest/config'
import { SLOW_TESTS, NIGHTLY_TESTS } from './slow-tests.ts'

export default defineProject({
  // the recognizer and the encoders really run; a busy machine needs room
  test: {
    isolate: false,
    setupFiles: [join(import.meta.dirname, 'test/support/record-responses.ts')],
    expect: { poll: { timeout: 50_000, interval: 20 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...SLOW_TESTS, ...NIGHTLY_TESTS],
  },
})
