import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

// Many tests wait for sockets and deadlines, so there are more workers than cores. Only this variable reaches every project.
process.env['VITEST_MAX_WORKERS'] ??= String(availableParallelism() + 2)

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

/** Gives every property test its seed. */
const SEEDS = join(import.meta.dirname, 'kit/engine-fixtures/seeds.ts')

const own: TestProjectInlineConfiguration[] = []
/** By their deadlines. */
const common = new Map<string, CommonTests>()
for (const path of globSync('{apps,engines,kit,packages}/*/vitest.config.{ts,mts}', { cwd: import.meta.dirname })) {
  const folder = dirname(path)
  const { default: config }: { readonly default: TestProjectInlineConfiguration } = await import(
    join(import.meta.dirname, path)
  )
  const { test = {}, ...others } = config
  if (Object.keys(others).length > 0 || Object.keys(test).some((name) => !COMMON_SETTINGS.has(name))) {
    const setupFiles = [SEEDS, test.setupFiles ?? []].flat()
    own.push({ ...others, root: join(import.meta.dirname, folder), test: { ...test, name: folder, setupFiles } })
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
        test: { ...tests, name: `packages ${index + 1}`, isolate: false, setupFiles: [SEEDS] },
      })),
      ...own,
      // The site has no configuration.
      'apps/docs',
      // the tests that render the page
      'apps/playground/vitest.page.config.ts',
      {
        test: {
          name: 'scripts',
          isolate: false,
          include: ['{scripts,kit/*}/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/test-*/**'],
        },
      },
    ],
  },
})
