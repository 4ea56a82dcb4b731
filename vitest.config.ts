import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { shareCompiledCode } from './scripts/compile-cache.ts'
import { findTestProjects, leftOut, SEEDS, SHARED, type TestProject } from './scripts/test-projects.ts'

// Many tests wait for sockets and deadlines, so there are more workers than cores. Only this variable reaches every project.
process.env['VITEST_MAX_WORKERS'] ??= String(availableParallelism() + 2)

const projects = (await findTestProjects()).filter(({ folder }) => folder !== 'kit')
const hasOwnSettings = ({ own }: TestProject): boolean => Object.keys(own).length > 0
const common = projects.filter((project) => !hasOwnSettings(project))

/** The tests of a package with settings of its own. */
function projectOf(project: TestProject): TestProjectInlineConfiguration {
  const { own, folder } = project
  const test = {
    ...SHARED,
    ...own.test,
    name: folder,
    include: own.test?.include ?? [...SHARED.include],
    exclude: [...leftOut(project)],
    setupFiles: [SEEDS, own.test?.setupFiles ?? []].flat(),
  }
  return { ...own, root: join(import.meta.dirname, folder), test }
}

shareCompiledCode()

export default defineConfig({
  test: {
    reporters: ['./scripts/failures-reporter.ts'],
    silent: 'passed-only',
    projects: [
      // Packages without settings of their own share their workers, which load what they share once.
      {
        test: {
          ...SHARED,
          name: 'packages',
          setupFiles: [SEEDS],
          include: common.flatMap(({ folder }) => SHARED.include.map((pattern) => join(folder, pattern))),
          exclude: common.flatMap((project) => leftOut(project).map((pattern) => join(project.folder, pattern))),
        },
      },
      ...projects.filter(hasOwnSettings).map(projectOf),
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
