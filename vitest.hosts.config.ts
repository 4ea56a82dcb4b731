import { defineConfig } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

shareCompiledCode()

// Frameworks, their versions and Node versions as users start them: minutes each, so apart from `test`.
export default defineConfig({
  // examples of Nest apps
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    include: ['{apps,engines,kit,packages}/*/test-hosts/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // A host waits for installs and timers for half of its time: more of them than two processors.
    maxWorkers: 3,
  },
})
