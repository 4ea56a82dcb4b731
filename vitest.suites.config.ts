import { globSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'
import { findTestProjects, SEEDS, type TestProject } from './scripts/test-projects.ts'
import type { SlowTests } from './slow-tests.ts'

/** Tests outside of `test`: minutes each. `suite` sets `SUITE`. */
interface Suite {
  /** Patterns from the folder of a package. */
  readonly include: (slow: SlowTests) => readonly string[]
  /** Deadline of a test and of a hook, in milliseconds. */
  readonly timeout: number
  readonly maxWorkers: number
}

const SUITES: Readonly<Record<string, Suite>> = {
  service: { include: ({ service = [] }) => service, timeout: 600_000, maxWorkers: 2 },
  // A host waits for installs and timers for half of its time: more of them than two processors.
  hosts: { include: () => ['{,*/}test-hosts/**/*.test.ts'], timeout: 900_000, maxWorkers: 3 },
  browser: { include: () => ['test/both/journeys.test.ts'], timeout: 600_000, maxWorkers: 2 },
  matrix: {
    include: ({ nightly = [] }) => [...nightly, '{,*/}test-{nightly,sites}/**/*.test.ts'],
    timeout: 7_200_000,
    maxWorkers: 2,
  },
}

const name = process.env['SUITE'] ?? ''
const suite = SUITES[name]
if (suite === undefined) throw new TypeError(`SUITE must be one of ${Object.keys(SUITES).join(', ')}, got "${name}"`)

/** The tests of a package in this suite, with its own settings. */
function projectOf(
  { folder, own, slow }: TestProject,
  { include, timeout }: Suite,
): readonly TestProjectInlineConfiguration[] {
  const root = join(import.meta.dirname, folder)
  const patterns = include(slow)
  const exclude = ['**/node_modules/**', ...(name === 'service' ? (slow.nightly ?? []) : [])]
  if (globSync([...patterns], { cwd: root, exclude }).length === 0) return []
  // Each file measures or ends processes of its own.
  const test = {
    ...own.test,
    name: folder,
    include: [...patterns],
    exclude,
    isolate: true,
    setupFiles: [SEEDS, own.test?.setupFiles ?? []].flat(),
    testTimeout: timeout,
    hookTimeout: timeout,
  }
  return [{ ...own, root, test }]
}

const projects = await findTestProjects()

shareCompiledCode()

export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    maxWorkers: suite.maxWorkers,
    expect: { poll: { timeout: 180_000, interval: 200 } },
    // Hosts install the packed packages. They are packed once for all files.
    globalSetup: ['hosts', 'matrix'].includes(name) ? ['./kit/hosts/share-tarballs.ts'] : [],
    projects: projects.flatMap((project) => projectOf(project, suite)),
  },
})
