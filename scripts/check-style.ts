// Finds words and sentence forms in Markdown pages, docstrings and comments that docs/style.md refuses.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findRefused } from './style/find-refused.ts'
import { readGlossary } from './style/glossary.ts'
import { commentProse, markdownProse } from './style/prose.ts'
import { findSentenceForms } from './style/sentence-forms.ts'

/** Pages that quote the interface, and the page that lists the refused words. */
const EXEMPT = new Set(['docs/interface.md', 'docs/rules.md', 'docs/conformance.md', 'docs/style.md'])

const root = dirname(import.meta.dirname)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const glossary = readGlossary(read('docs/style.md'))
const areas = process.argv.slice(2)
const paths = globSync('**/*.{md,ts,tsx,mts,cts}', { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
  .filter((path) => !EXEMPT.has(path) && (areas.length === 0 || areas.some((area) => path.startsWith(area))))
  .toSorted()

const found = paths.flatMap((path) => {
  const prose = path.endsWith('.md') ? markdownProse(read(path)) : commentProse(read(path))
  return [...findRefused(path, prose, glossary), ...findSentenceForms(path, prose)]
})
for (const line of found) console.error(line)
console.log(`${paths.length} files, ${found.length} words and forms that docs/style.md refuses`)
process.exitCode = found.length === 0 ? 0 : 1
