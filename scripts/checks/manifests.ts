// Compares the manifests of the published packages with the root manifest, the single source of repository address,
// license, author and supported Node versions. `--write` copies the fields. Without it, a difference fails.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
/** The used fields of a `package.json`. */
export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly keywords?: readonly string[]
  readonly license?: string
  readonly homepage?: string
  readonly bugs?: string | { readonly url?: string }
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly author?: unknown
  readonly engines?: Readonly<Record<string, string>>
}

/** A package for n8n runs in n8n's Node, so it names no version. */
const WITHOUT_ENGINES = /^n8n-nodes-/

/**
 * Adds the shared fields of the root manifest to a published package's manifest.
 *
 * @param directory The package's folder, relative to the root.
 * @returns The manifest with its fields in order. Added fields follow `license`.
 * @throws Error when the root manifest has no repository, bugs address, author or Node version
 */
export function completeManifest(manifest: Manifest, root: Manifest, directory: string): Manifest {
  const { repository, bugs, author, license, engines } = root
  const node = engines?.['node']
  if (repository === undefined || bugs === undefined || author === undefined || node === undefined) {
    throw new Error('package.json of the root needs repository, bugs, author and engines.node')
  }
  const page = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
  const shared: Partial<Manifest> = {
    ...(license === undefined ? {} : { license }),
    homepage: `${page}/tree/main/${directory}#readme`,
    bugs,
    author,
    repository: { ...repository, directory },
  }
  const fields = Object.entries({ ...manifest, ...shared })
  const place = fields.findIndex(([name]) => name === 'license') + 1
  const added = fields.filter(([name]) => !Object.hasOwn(manifest, name))
  const own = fields.filter(([name]) => Object.hasOwn(manifest, name))
  const ordered: Manifest = { name: manifest.name, ...Object.fromEntries(own.toSpliced(place, 0, ...added)) }
  return WITHOUT_ENGINES.test(manifest.name) ? ordered : { ...ordered, engines: { ...manifest.engines, node } }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
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
    else faults.push(`${path} differs from the root manifest: run node scripts/checks/manifests.ts --write`)
  }
  for (const fault of faults) console.error(fault)
  console.log(`${paths.length} manifests`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
