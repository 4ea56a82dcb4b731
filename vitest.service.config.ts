import { globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import './scripts/compile-cache.ts'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

/** Deadlines of a test and of a hook, in milliseconds. The conformance suite runs in a hook. */
const TEST_TIMEOUT = 120_000
const HOOK_TIMEOUT = 600_000

/** The part of a package's vitest.config.ts that is read here. Each package has its own copy of Vitest's types. */
interface PackageConfig {
  readonly default: { readonly test?: object }
}

/** The project of a package that runs its slow tests instead of the others. */
async function slowProject(list: string): Promise<TestProjectInlineConfiguration> {
  const folder = dirname(list)
  const [path = ''] = globSync('vitest.config.{ts,mts}', { cwd: folder })
  const { default: config }: PackageConfig = await import(join(folder, path))
  const { SLOW_TESTS }: { readonly SLOW_TESTS: readonly string[] } = await import(list)
  return {
    ...config,
    root: folder,
    test: {
      ...config.test,
      name: relative(import.meta.dirname, folder),
      include: [...SLOW_TESTS],
      exclude: [],
      // Each file measures or ends processes of its own.
      isolate: true,
      testTimeout: TEST_TIMEOUT,
      hookTimeout: HOOK_TIMEOUT,
    },
  }
}

const lists = globSync('{apps,packages}/*/slow-tests.{ts,mts}', { cwd: import.meta.dirname })

// The tests that each package names in its slow-tests.ts: minutes, so apart from `test`.
export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    projects: await Promise.all(lists.map((path) => slowProject(join(import.meta.dirname, path)))),
  },
})
