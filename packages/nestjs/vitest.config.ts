import { defineProject } from 'vitest/config'

export default defineProject({
  // The package's tsconfig.json says the same for src; test is outside of it.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  // hundreds of megabytes and real speech go through; a busy machine needs room
  test: { testTimeout: 60_000, hookTimeout: 60_000, include: ['src/**/*.test.ts', 'test/**/*.test.ts'] },
})
