import { configDefaults, defineProject } from 'vitest/config'
import { SLOW_TESTS } from './slow-tests.ts'

export default defineProject({
  // real speech and real builds; a busy machine needs room
  test: {
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['{src,player,test,test-types}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...SLOW_TESTS],
  },
})
