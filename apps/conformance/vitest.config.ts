import { configDefaults, defineProject } from 'vitest/config'

export default defineProject({
  test: {
    testTimeout: 60_000,
    hookTimeout: 300_000,
    include: ['test/**/*.test.ts'],
    // checks the service against every rule: part of `test:service`
    exclude: [...configDefaults.exclude, 'test/service.test.ts'],
  },
})
