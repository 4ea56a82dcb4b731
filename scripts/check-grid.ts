// Checks the limits of docs/contributing-reference.md: length of files and functions, docstrings of exports.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findUndocumented } from './grid/undocumented.ts'

const root = dirname(import.meta.dirname)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const find = (pattern: string | string[]): string[] =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**', '**/sites/**'] })

const oxlint = join(root, 'node_modules/.bin/oxlint')
const lengths = spawnSync(oxlint, ['-c', 'scripts/grid/oxlint.json', '--format', 'unix', '.'], {
  cwd: root,
  encoding: 'utf8',
})
if (lengths.error !== undefined) throw lengths.error
const faults = lengths.stdout.split('\n').filter((line) => line.includes('eslint('))
// A linter that fails for another reason, such as a file that vanishes while it is read, says why.
if (lengths.status !== 0 && faults.length === 0) console.error(lengths.stdout + lengths.stderr)

const sources = find(['{apps,engines,packages}/*/src/**/*.{ts,tsx}', 'kit/*/*.ts']).filter(
  (path) => !path.includes('.test.'),
)
for (const path of sources) faults.push(...findUndocumented(path, read(path)))

for (const fault of faults) console.error(fault)
console.log(`${sources.length} files with documented exports, ${faults.length} limits exceeded`)
process.exitCode = faults.length === 0 && lengths.status === 0 ? 0 : 1
