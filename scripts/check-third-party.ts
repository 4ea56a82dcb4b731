// Compares docs/third-party.md with the licenses of what the published packages bring. `--write` writes the page.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { collectThirdParties } from './third-party/closure.ts'
import { findUnexplained, renderThirdParties } from './third-party/render.ts'

const root = dirname(import.meta.dirname)
const PAGE = 'docs/third-party.md'
const manifests = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root }).toSorted()
const list = collectThirdParties(manifests.map((path) => join(root, dirname(path))))
const page = renderThirdParties(list)
const faults = [...findUnexplained(list)]
if (process.argv.includes('--write')) writeFileSync(join(root, PAGE), page)
else if (readFileSync(join(root, PAGE), 'utf8') !== page) {
  faults.push(`${PAGE} is out of date: run npx -y pnpm@12 generate`)
}
for (const fault of faults) console.error(fault)
console.log(`${list.length} packages of others`)
process.exitCode = faults.length === 0 ? 0 : 1
