// Compares the table of docs/releases.md with what an install of each published package brings, and the service with its
// limits. `--write` writes the table. Build first.
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A row of the table: a package, and what its install is called. */
export interface SizeRow extends InstallSize {
  /** Words behind the name. @default none */
  readonly note?: string
}

const MEBI = 1024 * 1024

/** Share by which sizes may differ from the table: other machines install other builds of a package. */
const TOLERANCE = 0.05

/** The table in Markdown, the largest install first. */
export function renderSizes(rows: readonly SizeRow[]): string {
  const lines = rows
    .toSorted((left, right) => right.bytes - left.bytes)
    .map(({ name, note, packages, bytes }) => {
      const label = `\`${name}\`${note === undefined ? '' : ` ${note}`}`
      return `| ${label} | ${packages} | ${(bytes / MEBI).toFixed(1)} |`
    })
  return ['| Install | Packages | MiB |', '| --- | --- | --- |', ...lines].join('\n')
}

/** Rows of a table of a page: label to packages and MiB. */
function readRows(table: string): ReadonlyMap<string, readonly [packages: number, mebibytes: number]> {
  const lines = table.split('\n').filter((line) => line.startsWith('| `'))
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()))
  return new Map(cells.map(([, label = '', packages, size]) => [label, [Number(packages), Number(size)] as const]))
}

/** One line for each row of the measured table that the page does not have, or has with another size. */
export function findWrongSizes(page: string, measured: string): readonly string[] {
  const written = readRows(page)
  const rows = [...readRows(measured)]
  const gone = [...written.keys()].filter((label) => !readRows(measured).has(label))
  const wrong = rows.flatMap(([label, [packages, size]]) => {
    const [was, before] = written.get(label) ?? []
    if (was === undefined || before === undefined) return [`${label} is missing`]
    const differs = was !== packages || Math.abs(before - size) > Math.max(0.1, size * TOLERANCE)
    return differs ? [`${label} has ${packages} packages and ${size} MiB, not ${was} and ${before}`] : []
  })
  return [...gone.map((label) => `${label} is no install`), ...wrong]
}

/** What an install of a package brings. */
interface InstallSize {
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
  return name.startsWith('@svc-audio/') || name === 'svc-audio' || name === 'n8n-nodes-svc-audio'
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

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const PAGE = join(root, 'docs/releases.md')
  const TABLE = /(?<=<!-- sizes -->\n\n)[^]*?(?=\n\n<!-- \/sizes -->)/
  const SERVICE = '@svc-audio/service'

  /** Limits of the service, in MiB. */
  const LIMITS = { whole: 250, lean: 50 } as const

  /** A build removes no files of an older one. */
  const LEFTOVERS =
    'The sizes are those of dist in each package, with files that an older build left there. If the difference is not yours: run rm -rf {apps,engines,packages}/*/dist, then npx -y pnpm@12 build --force, and check again'

  const rows = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root })
    .toSorted()
    .flatMap((path): readonly SizeRow[] => {
      const folder = join(root, dirname(path))
      const { name, private: hidden }: { readonly name: string; readonly private?: boolean } = JSON.parse(
        readFileSync(join(root, path), 'utf8'),
      )
      if (hidden === true) return []
      const whole = installSize(folder, true)
      if (name !== SERVICE) return [whole]
      return [
        { ...whole, note: 'with the bundled engines' },
        { ...installSize(folder, false), note: 'with `--omit=optional`' },
      ]
    })

  const measured = renderSizes(rows)
  const page = readFileSync(PAGE, 'utf8')
  const written = TABLE.exec(page)?.[0] ?? ''
  const [whole, lean] = rows.filter(({ name }) => name === SERVICE)
  const tooLarge = [
    ...((whole?.bytes ?? 0) > LIMITS.whole * MEBI ? [`${SERVICE} takes over ${LIMITS.whole} MiB`] : []),
    ...((lean?.bytes ?? 0) > LIMITS.lean * MEBI ? [`${SERVICE} without engines takes over ${LIMITS.lean} MiB`] : []),
  ]
  const faults = process.argv.includes('--write') ? [] : findWrongSizes(written, measured)
  if (process.argv.includes('--write')) writeFileSync(PAGE, page.replace(TABLE, measured))
  for (const fault of [...faults, ...tooLarge]) console.error(fault)
  if (faults.length > 0) console.error('docs/releases.md is out of date: run node scripts/checks/sizes.ts --write')
  if (faults.length + tooLarge.length > 0) console.error(LEFTOVERS)
  console.log(`${rows.length} installs`)
  process.exitCode = faults.length + tooLarge.length === 0 ? 0 : 1
}
