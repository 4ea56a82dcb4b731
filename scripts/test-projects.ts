import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configDefaults, type TestProjectInlineConfiguration } from 'vitest/config'
import { SLOW_TESTS, type SlowTests } from '../slow-tests.ts'

const ROOT = join(import.meta.dirname, '..')

/** Gives every property test its seed. */
export const SEEDS: string = join(ROOT, 'kit/engine-fixtures/seeds.ts')

/** The tests of a package. */
export interface TestProject {
  /** Its folder, from the root. */
  readonly folder: string
  /** Settings of its vitest.config.ts, which most packages do not need. */
  readonly own: TestProjectInlineConfiguration
  readonly slow: SlowTests
}

/** Finds the packages, in order of their paths. */
export async function findTestProjects(): Promise<readonly TestProject[]> {
  const manifests = globSync('{{apps,engines,packages}/*,kit}/package.json', { cwd: ROOT }).toSorted()
  const projects = manifests.map(async (manifest) => {
    const folder = dirname(manifest)
    const [path] = globSync('vitest.config.{ts,mts}', { cwd: join(ROOT, folder) })
    const { default: own }: { readonly default: TestProjectInlineConfiguration } =
      path === undefined ? { default: {} } : await import(join(ROOT, folder, path))
    return { folder, own, slow: SLOW_TESTS[folder] ?? {} }
  })
  return Promise.all(projects)
}

/** What packages without settings of their own share. Engines really speak and recognize: a busy machine needs room. */
export const SHARED = {
  isolate: false,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  include: ['{src,build,test}/**/*.test.ts'],
} as const

/** Patterns of what `test` leaves out in a package. */
export function leftOut({ slow: { service = [], nightly = [] } }: TestProject): readonly string[] {
  return [...configDefaults.exclude, ...service, ...nightly]
}
