import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

// Many tests wait for sockets and deadlines, so there are more workers than cores. Only this variable reaches every project.
process.env['VITEST_MAX_WORKERS'] ??= String(availableParallelism() + 2)

shareCompiledCode()

export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    projects: [
      'packages/*',
      // private packages whose tests need minutes, in test-hosts/ of each
      '!packages/{behaviour,build,engine-fixtures,hosts,n8n-engine}',
      'apps/*',
      // the tests that render the page
      'apps/playground/vitest.page.config.ts',
      { test: { name: 'scripts', include: ['scripts/**/*.test.ts'] } },
    ],
  },
})
