import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findNearestTests } from './changed.ts'

/** A command of the check. */
export interface Step {
  readonly name: string
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]]
  /** Names of the steps that must pass before. Names outside the list are ignored. */
  readonly needs?: readonly string[]
}

const node = (script: string, ...args: string[]): Step['command'] => ['node', `scripts/${script}.ts`, ...args]

const BUILD = ['build']

/** Steps that read the whole repository within two seconds each. */
const QUICK: readonly Step[] = [
  { name: 'interface rules', command: node('checks/rules') },
  { name: 'manifests', command: node('checks/manifests') },
  { name: 'layers', command: node('check-layers') },
  { name: 'map', command: node('checks/map') },
  { name: 'limits', command: node('checks/limits') },
  { name: 'install notes', command: node('checks/install-notes') },
  { name: 'error codes', command: node('checks/errors') },
  { name: 'claims', command: ['node', 'apps/docs/check-claims.ts'] },
  { name: 'third parties', command: node('checks/third-party') },
  { name: 'boundaries', command: ['turbo', 'boundaries'] },
  { name: 'versions', command: ['sherif'] },
]

const SIZES: Step = { name: 'sizes', command: node('checks/sizes'), needs: BUILD }
const UNUSED: Step = { name: 'unused code', command: ['knip', '--no-config-hints'] }
const TYPES: Step = { name: 'types', command: ['tsc', '-b'], needs: BUILD }
const NARRATION: Step = { name: 'narration', command: ['node', 'apps/docs/check-narration.ts'], needs: BUILD }
const SNIPPETS: Step = { name: 'snippets', command: node('checks/snippets'), needs: BUILD }

/** Every static check, the longest ones early. */
export function allSteps(): readonly Step[] {
  return [
    { name: 'build', command: node('build') },
    { name: 'format', command: ['oxfmt', '--check', '.'] },
    { name: 'words', command: node('checks/style') },
    { name: 'lint', command: ['oxlint'], needs: BUILD },
    TYPES,
    ...QUICK,
    UNUSED,
    SIZES,
    { name: 'types of n8n tests', command: ['tsc', '-p', 'packages/n8n-nodes/test'], needs: BUILD },
    { name: 'types of recipes', command: ['tsc', '-p', 'examples/langchain-recipes'], needs: BUILD },
    { name: 'API reference', command: ['node', 'apps/docs/check-api.ts'], needs: BUILD },
    NARRATION,
    { name: 'types of the site', command: ['tsc', '-p', 'apps/docs'], needs: BUILD },
    { name: 'types of the voice chat', command: ['tsc', '-p', 'examples/ai-sdk'], needs: BUILD },
    SNIPPETS,
  ]
}

const CODE = /\.[cm]?[jt]sx?$/
const PROSE = /\.(?:md|tsx?|mts|cts)$/
/** The text of the narrated pages, and what reads and speaks it. */
const NARRATED = /^(?:docs\/concepts\.md|apps\/docs\/|packages\/(?:text|vite-plugin)\/)/

/**
 * The checks of a change: the files themselves, the types of everything that imports them, and the nearest tests.
 * @param files Paths from the root
 */
export async function changedSteps(root: string, files: readonly string[]): Promise<readonly Step[]> {
  const present = files.filter((path) => existsSync(join(root, path)))
  const code = present.filter((path) => CODE.test(path))
  const prose = present.filter((path) => PROSE.test(path))
  const tests = await findNearestTests(root, files)
  const steps: (Step | false)[] = [
    present.length > 0 && {
      name: 'format',
      command: ['oxfmt', '--check', '--no-error-on-unmatched-pattern', ...present],
    },
    { name: 'build', command: node('build', ...filtersOf(files)) },
    prose.length > 0 && { name: 'words', command: node('checks/style', ...prose) },
    tests.length > 0 && { name: 'tests', command: ['vitest', 'run', ...tests], needs: BUILD },
    code.length > 0 && TYPES,
    code.length > 0 && { name: 'lint', command: ['oxlint', ...code], needs: BUILD },
    ...QUICK,
    SNIPPETS,
    files.some((path) => NARRATED.test(path)) && NARRATION,
    UNUSED,
  ]
  return steps.filter((step) => step !== false)
}

/** Limits a build to the packages of the files and to what they import. */
function filtersOf(files: readonly string[]): string[] {
  const folders = files
    .map((path) => /^(?:kit(?=\/)|(?:apps|engines|packages)\/[^/]+)/.exec(path)?.[0])
    .filter((path) => path !== undefined)
  return [...new Set(folders)].map((folder) => `--filter=./${folder}`)
}
