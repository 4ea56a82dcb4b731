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
