// Checks that each sentence of the site that says every, never, exact or always has a proof in docs/claims.json: a test, a
// case of the bench, or a program that measures it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Claims, findUnproved } from './src/claims.ts'
import { claimPages, ROOT } from './src/stage-site.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const claims: Claims = JSON.parse(read('docs/claims.json'))

/** A name in a string of TypeScript may have escaped quotes. */
function has(path: string, text: string): boolean | undefined {
  return existsSync(join(ROOT, path)) ? read(path).replaceAll("\\'", "'").includes(text) : undefined
}

const pages = claimPages()
const faults = [
  ...pages.flatMap((path) => findUnproved({ path, markdown: read(path) }, claims[path] ?? [], has)),
  ...Object.keys(claims)
    .filter((path) => !pages.includes(path))
    .map((path) => `docs/claims.json: ${path} is no page of the site`),
]
for (const fault of faults) console.error(fault)
console.log(`${pages.length} pages, ${Object.values(claims).flat().length} claims, ${faults.length} without a proof`)
process.exitCode = faults.length === 0 ? 0 : 1
