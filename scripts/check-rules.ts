// Compares the rules of the interface (docs/rules.json) with docs/interface.md and with the tests that cite them.
// `--write` writes docs/rules.md. Without it, an outdated page fails.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readChecks, readCitations } from './rules/citations.ts'
import { findGaps, findUntested, findWrongCitations } from './rules/find-faults.ts'
import { readSections } from './rules/interface-sections.ts'
import { renderRules } from './rules/render.ts'
import { readRules } from './rules/rule.ts'
import { summarize } from './rules/summarize.ts'

const root = dirname(import.meta.dirname)
const PAGE = 'docs/rules.md'
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const list = readRules(read('docs/rules.json'))
const tests = globSync('{apps,engines,kit,packages}/**/*.test.ts', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
})
const ids = new Set(list.rules.map(({ id }) => id))
const checks = globSync('apps/conformance/src/checks/*.ts', { cwd: root })
const files = [
  ...tests.toSorted().map((path) => readCitations(path, read(path))),
  ...checks.toSorted().map((path) => readChecks(path, read(path), ids)),
]
const citations = files.flatMap((file) => file.citations)
const page = renderRules(list, citations)
const faults = [
  ...findGaps(list, readSections(read('docs/interface.md'))),
  ...files.flatMap((file) => file.faults),
  ...findWrongCitations(list, citations),
  ...findUntested(list, citations),
]
if (process.argv.includes('--write')) writeFileSync(join(root, PAGE), page)
else if (read(PAGE) !== page) faults.push(`${PAGE} is out of date: run pnpm generate`)

for (const fault of faults) console.error(fault)
console.log(summarize(list, citations))
process.exitCode = faults.length === 0 ? 0 : 1
