import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      'packages/*',
      // private packages whose tests need minutes, in test-hosts/ of each
      '!packages/{build,hosts,n8n-engine}',
      'apps/*',
      // the tests that render the page
      'apps/playground/vitest.page.config.ts',
      { test: { name: 'scripts', include: ['scripts/**/*.test.ts'] } },
    ],
  },
})
