import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'

/** Tests outside of `test`: minutes each. `suite` sets `SUITE`. */
interface Suite {
  /** Patterns from the folder of a package. The lists are those of its slow-tests.ts. */
  readonly include: (lists: SlowTests) => readonly string[]
  /** Deadline of a test and of a hook, in milliseconds. */
  readonly timeout: number
  readonly maxWorkers: number
}

/** What a slow-tests.ts says. Patterns from the folder of the package. */
interface SlowTests {
  /** Tests of `suite service`. */
  readonly SLOW_TESTS?: readonly string[]
  /** Tests of `suite matrix`, besides those in the folders test-nightly and test-sites. */
  readonly NIGHTLY_TESTS?: readonly string[]
}

const SUITES: Readonly<Record<string, Suite>> = {
  service: { include: ({ SLOW_TESTS = [] }) => SLOW_TESTS, timeout: 600_000, maxWorkers: 2 },
  // A host waits for installs and timers for half of its time: more of them than two processors.
  hosts: { include: () => ['{,*/}test-hosts/**/*.test.ts'], timeout: 900_000, maxWorkers: 3 },
  browser: { include: () => ['test/both/journeys.test.ts'], timeout: 600_000, maxWorkers: 2 },
  matrix: {
    include: ({ NIGHTLY_TESTS = [] }) => [...NIGHTLY_TESTS, '{,*/}test-{nightly,sites}/**/*.test.ts'],
    timeout: 7_200_000,
    maxWorkers: 2,
  },
}

const name = process.env['SUITE'] ?? ''
const suite = SUITES[name]
if (suite === undefined) throw new TypeError(`SUITE must be one of ${Object.keys(SUITES).join(', ')}, got "${name}"`)

const ROOT = import.meta.dirname

/** Gives every property test its seed. */
const SEEDS = join(ROOT, 'kit/engine-fixtures/seeds.ts')

/** The tests of a package in this suite, with the settings of its vitest.config.ts. */
async function projectOf(manifest: string, { include, timeout }: Suite): Promise<TestProjectInlineConfiguration[]> {
  const folder = dirname(manifest)
  const root = join(ROOT, folder)
  const [list] = globSync('slow-tests.{ts,mts}', { cwd: root })
  const lists: SlowTests = list === undefined ? {} : await import(join(root, list))
  const patterns = include(lists)
  const nightly = name === 'service' ? (lists.NIGHTLY_TESTS ?? []) : []
  const exclude = ['**/node_modules/**', ...nightly]
  if (globSync([...patterns], { cwd: root, exclude }).length === 0) return []
  const [path] = globSync('vitest.config.{ts,mts}', { cwd: root })
  const { default: config }: { readonly default: TestProjectInlineConfiguration } =
    path === undefined ? { default: {} } : await import(join(root, path))
  // Each file measures or ends processes of its own.
  const own = {
    name: folder,
    include: [...patterns],
    exclude,
    isolate: true,
    setupFiles: [SEEDS, config.test?.setupFiles ?? []].flat(),
    testTimeout: timeout,
    hookTimeout: timeout,
  }
  return [{ ...config, root, test: { ...config.test, ...own } }]
}

const manifests = globSync('{{apps,engines,packages}/*,kit}/package.json', { cwd: ROOT }).toSorted()

shareCompiledCode()

export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    maxWorkers: suite.maxWorkers,
    expect: { poll: { timeout: 180_000, interval: 200 } },
    // Hosts install the packed packages. They are packed once for all files.
    globalSetup: ['hosts', 'matrix'].includes(name) ? ['./kit/hosts/share-tarballs.ts'] : [],
    projects: (await Promise.all(manifests.map((manifest) => projectOf(manifest, suite)))).flat(),
  },
})
