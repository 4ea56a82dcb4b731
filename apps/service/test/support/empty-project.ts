import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../../..')

/** Packages that a project may import, by name: their folders in this repository. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@svc-audio/core': 'packages/core',
  '@svc-audio/engine-ports': 'engines/ports',
  '@svc-audio/service': 'apps/service',
  '@types/node': 'node_modules/@types/node',
  vitest: 'node_modules/vitest',
}

/** A project outside the repository that follows a page of the documentation. */
export interface EmptyProject extends AsyncDisposable {
  readonly folder: string
  /** Writes files by path. */
  write(files: ReadonlyMap<string, string>): Promise<void>
  /** Type-checks all files with the compiler options of the repository. Rejects with the compiler's output. */
  typeCheck(): Promise<void>
  /** Runs a program of the repository in the project. Rejects with its output when it fails. */
  run(program: string, args: readonly string[]): Promise<string>
}

/** Makes a project with links to the built packages. */
export async function emptyProject(): Promise<EmptyProject> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-page-'))
  for (const [name, path] of Object.entries(PACKAGES)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(ROOT, path), link)
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const run = async (program: string, args: readonly string[]): Promise<string> => {
    try {
      return (await promisify(execFile)(program, args, { cwd: folder })).stdout
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
    }
  }
  return {
    folder,
    run,
    async write(files) {
      for (const [path, content] of files) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), content)
      }
    },
    async typeCheck() {
      const options = {
        rootDir: '.',
        noEmit: true,
        composite: false,
        isolatedDeclarations: false,
        declarationMap: false,
      }
      const compilerOptions = { ...options, rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true }
      const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
      await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'])
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** The files of a page, by name: blocks of code that follow a line `<!-- snippet: … -->`. */
export function filesOf(page: string): ReadonlyMap<string, string> {
  const blocks = page.matchAll(/^<!-- snippet: (?<path>[\w./-]+\.ts) -->\n\n```ts\n(?<code>[\s\S]*?)^```$/gm)
  return new Map(Array.from(blocks, ({ groups }) => [basename(groups?.['path'] ?? ''), groups?.['code'] ?? '']))
}
