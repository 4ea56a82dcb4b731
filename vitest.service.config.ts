import { globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

/** Whether this run is `soak:service`, which runs the tests under load, and not `test:service`, which runs the others. */
const SOAK = process.env['SOAK'] === '1'

/** Deadlines of a test and of a hook, in milliseconds. The conformance suite runs in a hook. */
const TEST_TIMEOUT = 120_000
const HOOK_TIMEOUT = 600_000

/** The part of a package's vitest.config.ts that is read here. Each package has its own copy of Vitest's types. */
interface PackageConfig {
  readonly default: { readonly test?: object }
}

/** What a slow-tests.ts says. */
interface SlowTests {
  readonly SLOW_TESTS?: readonly string[]
  readonly SOAK_TESTS?: readonly string[]
}

/** The project of a package that runs its slow tests instead of the others, if it has tests for this run. */
async function slowProject(list: string): Promise<readonly TestProjectInlineConfiguration[]> {
  const folder = dirname(list)
  const [path = ''] = globSync('vitest.config.{ts,mts}', { cwd: folder })
  const { default: config }: PackageConfig = await import(join(folder, path))
  const { SLOW_TESTS = [], SOAK_TESTS = [] }: SlowTests = await import(list)
  if ((SOAK ? SOAK_TESTS : SLOW_TESTS).length === 0) return []
  const project = {
    ...config,
    root: folder,
    test: {
      ...config.test,
      name: relative(import.meta.dirname, folder),
      include: [...(SOAK ? SOAK_TESTS : SLOW_TESTS)],
      exclude: [...(SOAK ? [] : SOAK_TESTS)],
      // Each file measures or ends processes of its own.
      isolate: true,
      testTimeout: TEST_TIMEOUT,
      hookTimeout: HOOK_TIMEOUT,
    },
  }
  return [project]
}

const lists = globSync('{apps,engines,kit,packages}/*/slow-tests.{ts,mts}', { cwd: import.meta.dirname })

shareCompiledCode()

// The tests that each package names in its slow-tests.ts: minutes, so apart from `test`.
export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    projects: (await Promise.all(lists.map((path) => slowProject(join(import.meta.dirname, path))))).flat(),
  },
})
