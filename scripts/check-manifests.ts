// Compares the manifests of the published packages with the root manifest, the single source of repository address,
// license, author and supported Node versions. `--write` copies the fields. Without it, a difference fails.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { completeManifest, type Manifest } from './manifests/complete-manifest.ts'

const root = dirname(import.meta.dirname)
const read = (path: string): Manifest => JSON.parse(readFileSync(join(root, path), 'utf8'))
const rootManifest = read('package.json')
const paths = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root }).toSorted()
const faults: string[] = []

/** Fewer words do not find a package in the search of a registry. */
const MIN_KEYWORDS = 3

for (const path of paths) {
  const manifest = read(path)
  if (manifest.private === true) continue
  const complete = completeManifest(manifest, rootManifest, dirname(path))
  if ((manifest.keywords ?? []).length < MIN_KEYWORDS) faults.push(`${path} needs ${MIN_KEYWORDS} keywords or more`)
  if (JSON.stringify(complete) === JSON.stringify(manifest)) continue
  if (process.argv.includes('--write')) writeFileSync(join(root, path), `${JSON.stringify(complete, undefined, 2)}\n`)
  else faults.push(`${path} differs from the root manifest: run node scripts/check-manifests.ts --write`)
}
for (const fault of faults) console.error(fault)
console.log(`${paths.length} manifests`)
process.exitCode = faults.length === 0 ? 0 : 1
