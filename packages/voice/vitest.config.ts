import { defineProject } from 'vitest/config'

export default defineProject({
  // the gateway of Nest
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
