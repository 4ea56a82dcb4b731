import { existsSync, globSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What an install of a package brings. */
export interface InstallSize {
  readonly name: string
  /** Packages, this one included. Peers that users bring are not counted. */
  readonly packages: number
  /** Bytes on a disk with blocks of 4 KiB. */
  readonly bytes: number
}

/** The part of a manifest that is read here. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const BLOCK = 4096

/** Files that every package has, whatever its manifest lists. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE']

/**
 * Measures an install of a package of ours from the packages that are installed here, without a network. Build first.
 * @param folder Folder of the package.
 * @param withOptional Whether optional dependencies are installed, as npm does unless it is told otherwise.
 * @throws Error for a dependency that is not installed
 */
export function installSize(folder: string, withOptional: boolean): InstallSize {
  const found = new Map<string, number>()
  const visit = (place: string): void => {
    const manifest = readManifest(place)
    const { name, version, dependencies = {}, optionalDependencies: optional = {} } = manifest
    if (found.has(`${name}@${version}`)) return
    found.set(`${name}@${version}`, isOurs(name) ? packedBytes(place, manifest) : folderBytes(place))
    for (const one of Object.keys(dependencies)) if (!(one in optional)) visit(findPackage(place, one))
    if (!withOptional) return
    for (const one of Object.keys(optional)) {
      const path = lookUp(place, one)
      // A build for another platform.
      if (path !== undefined) visit(path)
    }
  }
  visit(realpathSync(folder))
  const bytes = [...found.values()].reduce((sum, one) => sum + one, 0)
  return { name: readManifest(folder).name, packages: found.size, bytes }
}

function isOurs(name: string): boolean {
  return name.startsWith('@svc-audio/') || name === 'n8n-nodes-svc-audio'
}

/** The files that a package of ours publishes. */
function packedBytes(folder: string, { files = [] }: Manifest): number {
  const patterns = files.flatMap((pattern) => (pattern.startsWith('!') ? [] : [pattern, `${pattern}/**`]))
  const exclude = files.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const paths = globSync([...ALWAYS, ...patterns], { cwd: folder, exclude: [...exclude, '**/.tsbuildinfo'] })
  return [...new Set(paths)].reduce((sum, path) => sum + onDisk(join(folder, path)), 0)
}

/** A folder without the packages inside it, which are counted on their own. */
function folderBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules' || entry.isSymbolicLink()) return sum
    const path = join(folder, entry.name)
    return sum + onDisk(path) + (entry.isDirectory() ? folderBytes(path) : 0)
  }, 0)
}

function onDisk(path: string): number {
  const stats = lstatSync(path)
  return stats.isDirectory() ? BLOCK : Math.ceil(stats.size / BLOCK) * BLOCK
}

/** @throws Error when no folder above has it */
function findPackage(from: string, name: string): string {
  const path = lookUp(from, name)
  if (path === undefined) throw new Error(`${name} is not installed. It is a dependency of ${from}`)
  return path
}

function lookUp(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(path)) return realpathSync(path)
    if (dirname(folder) === folder) return undefined
  }
}

function readManifest(folder: string): Manifest {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return manifest
}
