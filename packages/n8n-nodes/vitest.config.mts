import { createRequire } from 'node:module'
import { configDefaults, defineProject } from 'vitest/config'
import { SLOW_TESTS } from './slow-tests.mts'

// n8n-workflow's ESM build has extensionless imports that Node cannot load; the CommonJS build is also what n8n loads.
const require = createRequire(import.meta.url)

export default defineProject({
  resolve: { alias: { 'n8n-workflow': require.resolve('n8n-workflow') } },
  // the real service speaks and listens, and n8n-core takes seconds to load; a busy machine needs room
  test: {
    isolate: false,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...SLOW_TESTS],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
