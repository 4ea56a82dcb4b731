import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SLOW_TESTS } from './apps/service/slow-tests.ts'

// The service with every audio format, recording and rule of the interface: minutes, so apart from `test`.
export default defineConfig({
  test: {
    projects: [
      {
        root: 'apps/service',
        test: {
          name: 'service',
          include: [...SLOW_TESTS],
          setupFiles: [join(import.meta.dirname, 'apps/service/test/support/described-statuses.ts')],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        root: 'apps/conformance',
        test: { name: 'conformance', include: ['test/service.test.ts'], testTimeout: 120_000, hookTimeout: 600_000 },
      },
    ],
  },
})
