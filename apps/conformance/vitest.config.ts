import { join } from 'node:path'
import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    setupFiles: [join(import.meta.dirname, '../service/test/support/record-responses.ts')],
    hookTimeout: 300_000,
  },
})
