import { configDefaults, defineProject } from 'vitest/config'
import { NIGHTLY_TESTS, SLOW_TESTS } from './slow-tests.ts'

export default defineProject({
  test: {
    isolate: false,
    // The tests run the recognizer, the encoders and a browser. A busy machine needs time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    exclude: [...configDefaults.exclude, ...NIGHTLY_TESTS, ...SLOW_TESTS],
    include: ['client/**/*.test.ts', 'demo/**/*.test.ts', 'server/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
