// Checks the code blocks of READMEs and docs. `ts` blocks type-check as printed or equal their source file. `json` blocks
// parse. `sh` blocks call existing scripts. Arguments limit the pages to these paths.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findWrongSnippets } from './snippets/find-wrong-snippets.ts'
import { readSnippets } from './snippets/snippet.ts'
import { typeCheck } from './snippets/type-check.ts'

const root = dirname(import.meta.dirname)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const areas = process.argv.slice(2)
const pages = globSync(['*.md', 'docs/**/*.md', '{apps,engines,examples,kit,packages}/**/*.md', 'bench/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**', '**/CHANGELOG.md'],
}).filter((page) => areas.length === 0 || areas.some((area) => page.startsWith(area)))

const snippets = pages.toSorted().flatMap((page) => readSnippets(page, read(page)))
const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'))
const faults = [
  ...findWrongSnippets(snippets, {
    readFile: (path) => (existsSync(join(root, path)) ? read(path) : undefined),
    scripts: new Set(Object.keys(manifest.scripts)),
  }),
  ...typeCheck(root, snippets),
]
for (const fault of faults) console.error(fault)
console.log(`${pages.length} pages, ${snippets.length} code blocks, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
