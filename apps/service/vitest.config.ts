import { join } from 'node:path'
import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    setupFiles: [join(import.meta.dirname, 'test/support/record-responses.ts')],
    expect: { poll: { timeout: 50_000, interval: 20 } },
  },
})
