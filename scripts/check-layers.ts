// Checks the imports of the service: layers follow docs/architecture.md, and files form no import cycle. `--rooms` also
// counts the imports between rooms.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findCycles, importsOf } from './layers/imports.ts'
import { findFault } from './layers/rules.ts'

const source = join(dirname(import.meta.dirname), 'apps/service/src')
const files = globSync('**/*.ts', { cwd: source }).filter((path) => !path.endsWith('.test.ts'))
const imports = files.flatMap((path) => importsOf(path, readFileSync(join(source, path), 'utf8')))

/** The folder of a file, or the file itself at the top. */
function room(path: string): string {
  return path.split('/').slice(0, -1).join('/') || path
}

const faults = [
  ...imports.map(findFault).filter((fault) => fault !== undefined),
  ...findCycles(imports).map((cycle) => `import cycle: ${[...cycle, cycle[0]].join(' → ')}`),
]
for (const fault of faults) console.error(fault)
console.log(`${files.length} files of the service, ${imports.length} imports, ${faults.length} faults`)

if (process.argv.includes('--rooms')) {
  const between = imports.filter(({ kind, from, to }) => kind === 'file' && room(from) !== room(to))
  const pairs = new Set(between.map(({ from, to }) => `${room(from)} → ${room(to)}`))
  console.log(`${between.length} imports between rooms, ${pairs.size} pairs of rooms`)
}
process.exitCode = faults.length === 0 ? 0 : 1
