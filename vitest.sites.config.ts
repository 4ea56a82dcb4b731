import { defineConfig } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

shareCompiledCode()

// The narration of sites as people begin them: templates and frameworks in new folders, so apart from `test:hosts`.
export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    include: ['packages/vite-plugin/test-sites/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 1,
  },
})
