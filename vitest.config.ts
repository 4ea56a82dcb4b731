import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

// Many tests wait for sockets and deadlines, so there are more workers than cores. Only this variable reaches every project.
process.env['VITEST_MAX_WORKERS'] ??= String(availableParallelism() + 2)

/** What a package's vitest.config.ts says. Each package has its own copy of Vitest's types. */
interface PackageConfig {
  readonly test?: PackageTests
}

interface PackageTests {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

/** Private packages whose tests need minutes, in test-hosts/ of each. */
const WITHOUT_TESTS = '{behaviour,build,engine-fixtures,hosts,n8n-engine}'

/** Settings that the packages of the common project may have. */
const COMMON_SETTINGS = new Set(['isolate', 'include', 'exclude', 'testTimeout', 'hookTimeout'])

const own: string[] = []
// The site has no configuration.
const include = ['apps/docs/src/**/*.test.ts']
const exclude: string[] = []
for (const path of globSync('{apps,packages}/*/vitest.config.{ts,mts}', {
  cwd: import.meta.dirname,
  exclude: [`packages/${WITHOUT_TESTS}/*`],
})) {
  const folder = dirname(path)
  const { default: config }: { readonly default: PackageConfig } = await import(join(import.meta.dirname, path))
  const settings = Object.keys(config.test ?? {})
  if (Object.keys(config).some((key) => key !== 'test') || settings.some((name) => !COMMON_SETTINGS.has(name))) {
    own.push(path)
    continue
  }
  const inFolder = (patterns: readonly string[] = []): string[] => patterns.map((pattern) => join(folder, pattern))
  include.push(...inFolder(config.test?.include))
  exclude.push(...inFolder(config.test?.exclude))
}

shareCompiledCode()

export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    projects: [
      // Packages without settings of their own share their workers. Each worker loads what they have in common once.
      {
        test: {
          name: 'packages',
          isolate: false,
          include,
          exclude: ['**/node_modules/**', ...exclude],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      ...own,
      // the tests that render the page
      'apps/playground/vitest.page.config.ts',
      { test: { name: 'scripts', isolate: false, include: ['scripts/**/*.test.ts'] } },
    ],
  },
})
