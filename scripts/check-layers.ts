// Checks imports. In the whole repository, files form no import cycle. In the service and in core, rooms follow
// docs/architecture.md. `--rooms` also counts the imports between the service's rooms.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findCycles, type Import, importsOf } from './layers/imports.ts'
import { CORE, findFault, type House, SERVICE } from './layers/rules.ts'

const root = dirname(import.meta.dirname)

/** The imports of the files of a house, without those of tests. */
function importsIn({ source }: House): Import[] {
  const folder = join(root, source)
  const files = globSync('**/*.ts', { cwd: folder }).filter((path) => !path.endsWith('.test.ts'))
  return files.flatMap((path) => importsOf(path, readFileSync(join(folder, path), 'utf8')))
}

/** The folder of a file, or the file itself at the top. */
function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/') || path
}

/** The imports of all source files of the repository. */
const all = globSync('{apps,bench,engines,examples,kit,packages,scripts}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
}).flatMap((path) => importsOf(path, readFileSync(join(root, path), 'utf8')))

const faults = findCycles(all).map((cycle) => `import cycle: ${[...cycle, cycle[0]].join(' → ')}`)
for (const house of [SERVICE, CORE]) {
  for (const found of importsIn(house)) {
    const fault = findFault(found, house)
    if (fault !== undefined) faults.push(`${house.source}/${fault}`)
  }
}
for (const fault of faults) console.error(fault)
console.log(`${all.length} imports, ${faults.length} faults`)

if (process.argv.includes('--rooms')) {
  const between = importsIn(SERVICE).filter(({ kind, from, to }) => kind === 'file' && folderOf(from) !== folderOf(to))
  const pairs = new Set(between.map(({ from, to }) => `${folderOf(from)} → ${folderOf(to)}`))
  console.log(`${between.length} imports between rooms, ${pairs.size} pairs of rooms`)
}
process.exitCode = faults.length === 0 ? 0 : 1
