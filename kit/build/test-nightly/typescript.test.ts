import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CleanProject, cleanProject } from '@svc-audio/kit/hosts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
}

/** A published package that programs import. */
interface ImportedPackage {
  readonly name: string
  readonly isCommonJs: boolean
  /** What programs import it by. */
  readonly entries: readonly string[]
}

const packages = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: ROOT })
  .map((path): Manifest => JSON.parse(readFileSync(join(ROOT, path), 'utf8')))
  .filter(({ private: isPrivate, exports }) => isPrivate !== true && exports !== undefined)
  .map(({ name, exports = {} }): ImportedPackage => {
    const paths = Object.keys(exports).filter((path) => !path.endsWith('.json'))
    const entries = paths.map((path) => `${name}${path.slice(1)}`)
    return { name, isCommonJs: JSON.stringify(exports).includes('"require"'), entries }
  })

/** The oldest TypeScript that the packages support. Libraries are checked too. */
const TYPESCRIPT = '~5.7.3'
const OPTIONS = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--module', 'node16', '--target', 'es2022']
const DECORATORS = ['--experimentalDecorators', '--emitDecoratorMetadata']

/** Frameworks of an application. Peers without a version here are installed at their declared range. */
const FRAMEWORKS = {
  '@types/express': '^5.0.0',
  '@types/node': '^22.19.0',
  '@types/ws': '^8.18.0',
  express: '^5.0.0',
  typescript: TYPESCRIPT,
}

const NEST_11 = Object.fromEntries(
  ['common', 'core', 'platform-express', 'swagger', 'terminus'].map((name) => [`@nestjs/${name}`, '^11.0.0']),
)

/** Declares modules for the compiler, and is none itself. */
const AMBIENT = '@svc-audio/vite-plugin/client'

function programOf(given: readonly ImportedPackage[]): string {
  const entries = given.flatMap((one) => one.entries)
  return entries
    .map((entry, at) =>
      entry === AMBIENT ? `import '${entry}'\n` : `import * as entry${at} from '${entry}'\nvoid entry${at}\n`,
    )
    .join('')
}

/** @returns who declares what the compiler refuses, with the numbers of the errors */
async function refused(
  project: CleanProject,
  file: string,
  { compiler = 'typescript', options = [] }: { readonly compiler?: string; readonly options?: readonly string[] } = {},
): Promise<string[]> {
  const { stdout } = await project.run('node', [
    `node_modules/${compiler}/bin/tsc`,
    file,
    ...OPTIONS,
    ...DECORATORS,
    ...options,
  ])
  const lines = stdout.split('\n').filter((line) => line.includes('error TS'))
  const owners = lines.map((line) => {
    const { path = line, code } = /^(?<path>[^(]+)\(.*error (?<code>TS\d+)/.exec(line)?.groups ?? {}
    const owner = /^node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(path)?.groups?.['name'] ?? path
    return `${owner} ${code}`
  })
  return [...new Set(owners)].toSorted()
}

/** What the compiler refuses in declarations of others. `docs/releases.md` names it. */
const OF_OTHERS = {
  commonjs: ['@langchain/core TS1166', '@langchain/core TS1479', '@langchain/langgraph TS1166'],
  module: ['@langchain/core TS1166', '@langchain/langgraph TS1166'],
} as const

const KINDS = [
  {
    kind: 'commonjs',
    given: packages.filter(({ isCommonJs }) => isCommonJs),
    frameworks: { ...FRAMEWORKS, ...NEST_11 },
  },
  { kind: 'module', given: packages, frameworks: FRAMEWORKS },
] as const

describe.each(KINDS)('a project of type $kind with TypeScript 5.7', ({ kind, given, frameworks }) => {
  let project: CleanProject
  beforeAll(async () => {
    project = await cleanProject({
      packages: given.map(({ name }) => name),
      peers: true,
      npmOptions: ['--legacy-peer-deps'],
      manifest: { type: kind },
      dependencies: frameworks,
      files: { 'main.ts': programOf(given), 'mine.ts': programOf(given.filter(({ name }) => !/langchain/.test(name))) },
    })
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('imports every entry: with checked libraries, only declarations of LangChain are refused', async () => {
    expect(await refused(project, 'main.ts')).toEqual(OF_OTHERS[kind])
    expect(await refused(project, 'main.ts', { options: ['--skipLibCheck', 'true'] })).toEqual([])
  })

  test('without LangChain, every declaration is accepted', async () => {
    expect(await refused(project, 'mine.ts')).toEqual([])
  })
})

describe('CommonJS with NestJS 12, which has only ES modules', () => {
  let project: CleanProject
  beforeAll(async () => {
    project = await cleanProject({
      packages: ['@svc-audio/core', '@svc-audio/nestjs'],
      peers: true,
      npmOptions: ['--legacy-peer-deps'],
      manifest: { type: 'commonjs' },
      dependencies: { ...FRAMEWORKS, '@nestjs/platform-express': '^12.0.0', 'typescript-5.8': 'npm:typescript@~5.8.3' },
      files: {
        'nest.ts': "import * as nest from '@nestjs/common'\nvoid nest\n",
        'ours.ts': "import * as ours from '@svc-audio/nestjs'\nvoid ours\n",
      },
    })
  })
  afterAll(() => project[Symbol.asyncDispose]())

  test('TypeScript 5.7 refuses NestJS itself', async () => {
    expect(await refused(project, 'nest.ts')).toContain('nest.ts TS1479')
  })

  test('TypeScript 5.8 with nodenext accepts the package, with checked libraries', async () => {
    const options = ['--module', 'nodenext']
    expect(await refused(project, 'ours.ts', { compiler: 'typescript-5.8', options })).toEqual([])
  })
})
