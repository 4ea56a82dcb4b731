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

interface PackageTests extends Deadlines {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

interface Deadlines {
  readonly testTimeout?: number
  readonly hookTimeout?: number
}

/** Tests of packages that share their workers. */
interface CommonTests extends Deadlines {
  readonly include: string[]
  readonly exclude: string[]
}

/** Settings that packages of a common project may have. */
const COMMON_SETTINGS = new Set(['isolate', 'include', 'exclude', 'testTimeout', 'hookTimeout'])

const own: string[] = []
/** By their deadlines. */
const common = new Map<string, CommonTests>()
for (const path of globSync('{apps,engines,kit,packages}/*/vitest.config.{ts,mts}', { cwd: import.meta.dirname })) {
  const folder = dirname(path)
  const { default: config }: { readonly default: PackageConfig } = await import(join(import.meta.dirname, path))
  const { test = {}, ...others } = config
  if (Object.keys(others).length > 0 || Object.keys(test).some((name) => !COMMON_SETTINGS.has(name))) {
    own.push(path)
    continue
  }
  const { include = [], exclude = [], testTimeout, hookTimeout } = test
  const deadlines = { ...(testTimeout && { testTimeout }), ...(hookTimeout && { hookTimeout }) }
  const key = JSON.stringify(deadlines)
  const tests = common.get(key) ?? { ...deadlines, include: [], exclude: ['**/node_modules/**'] }
  tests.include.push(...include.map((pattern) => join(folder, pattern)))
  tests.exclude.push(...exclude.map((pattern) => join(folder, pattern)))
  common.set(key, tests)
}

shareCompiledCode()

export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    projects: [
      // Packages with the same deadlines and no other settings share their workers, which load what they share once.
      ...[...common.values()].map((tests, index) => ({
        test: { ...tests, name: `packages ${index + 1}`, isolate: false },
      })),
      ...own,
      // The site has no configuration.
      'apps/docs',
      // the tests that render the page
      'apps/playground/vitest.page.config.ts',
      { test: { name: 'scripts', isolate: false, include: ['scripts/**/*.test.ts'] } },
    ],
  },
})
