import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageTarballs } from './package-tarballs.ts'
import { run, type RunResult } from './run.ts'

/** Options of {@link cleanProject}. */
export interface CleanProjectOptions {
  /** Names of the repository's packages to install. Their dependencies in the repository are installed too. */
  readonly packages: readonly string[]
  /** Other dependencies: name to range. */
  readonly dependencies?: Readonly<Record<string, string>>
  /** Fields added to the project's `package.json`, such as `type` or `scripts`. */
  readonly manifest?: Readonly<Record<string, unknown>>
  /** Files of the project: path to content. */
  readonly files?: Readonly<Record<string, string>>
  /** Node program for the install and for programs. @default the Node of this process */
  readonly node?: string
}

/** A project outside the workspace, with packages installed from their tarballs. */
export interface CleanProject extends AsyncDisposable {
  readonly folder: string
  /** Runs a program on the project's Node. Searches `node_modules/.bin` first. */
  run(program: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>
}

/** Packed once per process: packing takes seconds, and tests do not change the sources. */
let packed: Promise<ReadonlyMap<string, string>> | undefined

/**
 * Creates an empty project outside the workspace and installs the packed packages with npm, as a user does.
 *
 * @throws Error when packing or installing fails, with npm's output
 */
export async function cleanProject(options: CleanProjectOptions): Promise<CleanProject> {
  const { packages, dependencies = {}, manifest = {}, files = {}, node = process.execPath } = options
  const tarballs = await (packed ??= packOnce())
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-project-'))
  const ours: Record<string, string> = {}
  const overrides: Record<string, string> = {}
  for (const [name, tarball] of tarballs) overrides[name] = `file:${tarball}`
  for (const name of packages) {
    const tarball = tarballs.get(name)
    if (tarball === undefined) throw new Error(`${name} is not a published package of this repository`)
    ours[name] = `file:${tarball}`
    overrides[name] = `$${name}`
  }
  const json = {
    name: 'clean-project',
    private: true,
    ...manifest,
    dependencies: { ...dependencies, ...ours },
    overrides,
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(json, undefined, 2)}\n`)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const npm = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { exitCode, stdout, stderr } = await run('npm', npm, { cwd: folder, node })
  if (exitCode !== 0) throw new Error(`npm install failed in the clean project:\n${stdout}\n${stderr}`)
  return {
    folder,
    run: (program, args = [], env = {}) => {
      const local = join(folder, 'node_modules/.bin', program)
      return program === 'node'
        ? run(node, args, { cwd: folder, node, env })
        : run(local, args, { cwd: folder, node, env })
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function packOnce(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-tarballs-'))
  process.once('exit', () => {
    // Nothing asynchronous runs at exit.
    rmSync(folder, { recursive: true, force: true })
  })
  return packageTarballs(folder)
}
