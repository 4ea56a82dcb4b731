// Checks the limits of docs/contributing-reference.md: length of files and functions, lines of tests, docstrings of exports.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { countCodeLines } from './grid/test-lines.ts'
import { findUndocumented } from './grid/undocumented.ts'

/**
 * Packages with at least this many lines of tests for a line of source. The goal is 1. A smaller number is what the
 * package has: raise it with the tests.
 */
const TEST_LINES: Readonly<Record<string, number>> = {
  'packages/testing': 1,
  'packages/vite-plugin': 1,
  'apps/playground': 1,
  'apps/conformance': 1,
}

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

for (const [folder, least] of Object.entries(TEST_LINES)) {
  const files = find(`${folder}/**/*.{ts,tsx}`).map((path) => [path, read(path)] as const)
  const { source, test } = countCodeLines(new Map(files))
  const missing = Math.ceil(source * least) - test
  if (missing > 0) faults.push(`${folder}: ${test} lines of tests for ${source} lines of source, ${missing} too few`)
}

for (const fault of faults) console.error(fault)
console.log(`${sources.length} files with documented exports, ${faults.length} limits exceeded`)
process.exitCode = faults.length === 0 && lengths.status === 0 ? 0 : 1
