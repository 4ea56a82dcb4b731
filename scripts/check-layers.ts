// Checks imports. In the whole repository, files form no import cycle. In the service, layers follow
// docs/architecture.md. `--rooms` also counts the imports between the service's rooms.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findCycles, importsOf } from './layers/imports.ts'
import { findFault } from './layers/rules.ts'

const root = dirname(import.meta.dirname)
const source = join(root, 'apps/service/src')
const files = globSync('**/*.ts', { cwd: source }).filter((path) => !path.endsWith('.test.ts'))
const imports = files.flatMap((path) => importsOf(path, readFileSync(join(source, path), 'utf8')))

/** The folder of a file, or the file itself at the top. */
function room(path: string): string {
  return path.split('/').slice(0, -1).join('/') || path
}

/** The imports of all source files of the repository. */
const all = globSync('{apps,bench,engines,examples,kit,packages,scripts}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
}).flatMap((path) => importsOf(path, readFileSync(join(root, path), 'utf8')))

const faults = [
  ...imports.map(findFault).filter((fault) => fault !== undefined),
  ...findCycles(all).map((cycle) => `import cycle: ${[...cycle, cycle[0]].join(' → ')}`),
]
for (const fault of faults) console.error(fault)
console.log(
  `${files.length} files of the service, ${imports.length} imports of ${all.length} in all, ${faults.length} faults`,
)

if (process.argv.includes('--rooms')) {
  const between = imports.filter(({ kind, from, to }) => kind === 'file' && room(from) !== room(to))
  const pairs = new Set(between.map(({ from, to }) => `${room(from)} → ${room(to)}`))
  console.log(`${between.length} imports between rooms, ${pairs.size} pairs of rooms`)
}
process.exitCode = faults.length === 0 ? 0 : 1
