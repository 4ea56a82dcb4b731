import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageTarballs, type PackedPackage } from './package-tarballs.ts'
import { output, run, type RunResult } from './run.ts'

/** Options of {@link cleanProject}. */
export interface CleanProjectOptions {
  /**
   * Names of the repository's packages to install. Their dependencies in the repository are installed too.
   * @default every published package
   */
  readonly packages?: readonly string[]
  /** Other dependencies: name to range. */
  readonly dependencies?: Readonly<Record<string, string>>
  /** Fields added to the project's `package.json`, such as `type` or `scripts`. */
  readonly manifest?: Readonly<Record<string, unknown>>
  /** Files of the project: path to content. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether to install the packages' peer dependencies at their declared ranges too. @default false */
  readonly peers?: boolean
  /** Further options of `npm install`. @default none */
  readonly npmOptions?: readonly string[]
  /** Node program for the install and for programs. @default the Node of this process */
  readonly node?: string
}

/** A project outside the workspace, with packages installed from their tarballs. */
export interface CleanProject extends AsyncDisposable {
  readonly folder: string
  /** Runs a program on the project's Node. Searches `node_modules/.bin` first. */
  run(program: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>
}

/** Variable that names the folder of {@link shareTarballs}. */
const SHARED_TARBALLS = 'SVC_AUDIO_TARBALLS'
const INDEX = 'packages.json'

/**
 * Packs every published package once for all test files of a run. The worker processes find the tarballs by a variable.
 * @returns Removes them
 */
export async function shareTarballs(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-tarballs-'))
  const packages = await packageTarballs(folder)
  await writeFile(join(folder, INDEX), JSON.stringify([...packages]))
  process.env[SHARED_TARBALLS] = folder
  return () => rm(folder, { recursive: true, force: true })
}

/** Packed once per run: packing takes seconds, and tests do not change the sources. */
let packed: Promise<ReadonlyMap<string, PackedPackage>> | undefined

/**
 * Creates an empty project outside the workspace and installs the packed packages with npm, as a user does.
 *
 * @throws Error when packing or installing fails, with npm's output
 */
export async function cleanProject(options: CleanProjectOptions): Promise<CleanProject> {
  const { files = {}, node = process.execPath, npmOptions = [] } = options
  const manifest = manifestOf(options, options.packages?.length === 0 ? new Map() : await (packed ??= packOnce()))
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-project-'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const npm = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...npmOptions]
  await output('npm', npm, { cwd: folder, node })
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

function manifestOf(options: CleanProjectOptions, tarballs: ReadonlyMap<string, PackedPackage>): object {
  const { packages = tarballs.keys(), dependencies = {}, peers: withPeers = false, manifest = {} } = options
  const overrides: Record<string, string> = {}
  for (const [name, { tarball }] of tarballs) overrides[name] = `file:${tarball}`
  const declared: Record<string, string> = {}
  const ours: Record<string, string> = {}
  for (const name of packages) {
    const packedPackage = tarballs.get(name)
    if (packedPackage === undefined) throw new Error(`${name} is not a published package of this repository`)
    for (const [peer, range] of withPeers ? Object.entries(packedPackage.peers) : []) {
      const peerTarball = tarballs.get(peer)?.tarball
      declared[peer] = peerTarball === undefined ? range : `file:${peerTarball}`
    }
    ours[name] = `file:${packedPackage.tarball}`
    overrides[name] = `$${name}`
  }
  const all = { ...declared, ...dependencies, ...ours }
  return { name: 'clean-project', private: true, ...manifest, dependencies: all, overrides }
}

/** The tarballs of this run of Vitest ({@link shareTarballs}), or new ones that end with this process. */
async function packOnce(): Promise<ReadonlyMap<string, PackedPackage>> {
  const shared = process.env[SHARED_TARBALLS]
  if (shared !== undefined) {
    const stored: readonly (readonly [string, PackedPackage])[] = JSON.parse(
      await readFile(join(shared, INDEX), 'utf8'),
    )
    return new Map(stored)
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-tarballs-'))
  process.once('exit', () => {
    // Nothing asynchronous runs at exit.
    rmSync(folder, { recursive: true, force: true })
  })
  return packageTarballs(folder)
}
