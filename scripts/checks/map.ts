// Compares the map of docs/architecture.md with the folders of the repository: each stands in it once.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders whose folders the map lists, and the root. */
const PARENTS = ['', 'packages', 'engines', 'kit', 'apps', 'packages/core/src', 'apps/service/src'] as const

/** A folder of a parent's parent is a title, such as `packages`. */
const TITLES: ReadonlySet<string> = new Set(['packages', 'engines', 'kit', 'apps'])

/** Folders in the first cells of the tables of a page: code that ends with a slash. */
export function readMap(page: string): readonly string[] {
  const cells = Array.from(page.matchAll(/^\| *(?<cell>`[^|]+?) *\|/gm), ({ groups }) => groups?.['cell'] ?? '')
  return cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`(?<folder>[\w./-]+)\/`/g), ({ groups }) => groups?.['folder'] ?? ''),
  )
}

/** What differs between a map and the folders that are there, a sentence each. */
export function compareMap(listed: readonly string[], folders: readonly string[]): readonly string[] {
  const missing = folders.filter((folder) => !listed.includes(folder)).map((folder) => `${folder}/ is not in the map`)
  const gone = listed
    .filter((folder) => !folders.includes(folder))
    .map((folder) => `the map lists ${folder}/, which is not there`)
  const twice = listed
    .filter((folder, at) => listed.indexOf(folder) !== at)
    .map((folder) => `the map lists ${folder}/ twice`)
  return [...missing, ...new Set(gone), ...new Set(twice)]
}

/** The folders that a map must list. Those of files that git ignores, such as an older build's, are none. */
function foldersOf(root: string): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n')
  const inParent = (parent: string): readonly string[] => {
    const start = parent === '' ? '' : `${parent}/`
    const below = files.filter((file) => file.startsWith(start)).map((file) => file.slice(start.length))
    return below.filter((file) => file.includes('/')).map((file) => start + file.slice(0, file.indexOf('/')))
  }
  const folders = new Set(PARENTS.flatMap(inParent))
  return [...folders].filter((folder) => !folder.startsWith('.') && !TITLES.has(folder))
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const listed = readMap(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))
  const faults = compareMap(listed, foldersOf(root))
  for (const fault of faults) console.error(`docs/architecture.md: ${fault}`)
  console.log(`${listed.length} folders in the map`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
