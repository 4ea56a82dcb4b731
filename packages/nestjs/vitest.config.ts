import { configDefaults, defineProject } from 'vitest/config'
import { SLOW_TESTS } from './slow-tests.ts'

export default defineProject({
  // The package's tsconfig.json says the same for src; test is outside of it.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  // hundreds of megabytes and real speech go through; a busy machine needs room
  test: {
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...SLOW_TESTS],
  },
})
