import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '../layers/imports.ts'
import type { SlowTests } from '../../slow-tests.ts'

/** Test files that a check of changed files runs. */
const MAX_TESTS = 8

const TEST = /\.test\.tsx?$/
const IN_SRC = /^\w+\/[\w-]+\/src\//

/**
 * Finds the tests that import the changed files, directly or through other files, the nearest ones first. Tests of
 * other packages import the build, not the files, so `test` runs them.
 *
 * @param changed Paths from the root
 * @returns At most {@link MAX_TESTS} paths
 */
export async function findNearestTests(root: string, changed: readonly string[]): Promise<readonly string[]> {
  const paths = globSync('{apps,engines,kit,packages,scripts}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/test-{hosts,nightly}/**',
      'apps/playground/test/{browser,both}/**',
    ],
  })
  const slow = new Set(await findSlowTests(root))
  const imports = paths.flatMap((path) => importsOf(path, readFileSync(join(root, path), 'utf8')))
  const importers = Map.groupBy(imports, ({ to }) => to)
  const known = new Set(paths)
  const isFast = (path: string): boolean => TEST.test(path) && known.has(path) && !slow.has(path)
  const found = new Set<string>()
  const tests: string[] = []
  for (let round = [...changed]; round.length > 0 && tests.length < MAX_TESTS;) {
    for (const path of round) found.add(path)
    // Unit tests stand in src, and are faster.
    tests.push(...round.filter(isFast).toSorted((one, other) => Number(IN_SRC.test(other)) - Number(IN_SRC.test(one))))
    const next = round.flatMap((path) => (importers.get(path) ?? []).map(({ from }) => from))
    round = [...new Set(next)].filter((path) => !found.has(path))
  }
  return tests.slice(0, MAX_TESTS)
}

/** The tests that `test` leaves out: slow-tests.ts names them. */
async function findSlowTests(root: string): Promise<readonly string[]> {
  const path = join(root, 'slow-tests.ts')
  if (!existsSync(path)) return []
  const { SLOW_TESTS }: { readonly SLOW_TESTS: Readonly<Record<string, SlowTests>> } = await import(path)
  return Object.entries(SLOW_TESTS).flatMap(([folder, { service = [], nightly = [] }]) =>
    globSync([...service, ...nightly], { cwd: join(root, folder) }).map((test) => join(folder, test)),
  )
}

/** Branches that a change is compared with: the first one that exists. */
const BASES = ['origin/main', 'main']

/**
 * Finds the files that differ from `since`, uncommitted and deleted ones included.
 *
 * @param since A branch or commit. @default the last commit of `origin/main` or `main` in this branch
 * @returns Paths from the root
 * @throws Error when git fails, for example on an unknown branch
 */
export function findChangedFiles(root: string, since?: string): readonly string[] {
  const git = (...args: string[]): string => {
    const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    if (error !== undefined) throw error
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`)
    return stdout
  }
  const exists = (ref: string): boolean =>
    spawnSync('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { cwd: root }).status === 0
  const base = since ?? BASES.find(exists) ?? 'HEAD'
  const start = git('merge-base', base, 'HEAD').trim()
  const paths = [
    ...git('diff', '--name-only', '--no-renames', '-z', start).split('\0'),
    ...git('ls-files', '--others', '--exclude-standard', '-z').split('\0'),
  ]
  return [...new Set(paths)].filter((path) => path !== '').toSorted()
}
