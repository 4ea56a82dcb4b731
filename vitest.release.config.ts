import { defineConfig } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

shareCompiledCode()

// What is published, as type checkers and package managers see it: a release runs it, so apart from `test:hosts`.
export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    include: ['{apps,engines,kit,packages}/*/test-release/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 2,
  },
})
