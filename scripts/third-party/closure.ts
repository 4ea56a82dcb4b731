import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A package of others that an install of ours brings. */
export interface ThirdParty {
  readonly name: string
  readonly version: string
  /** License of its manifest, an SPDX expression, or `none stated`. */
  readonly license: string
  /** Names of our packages that bring it. */
  readonly broughtBy: ReadonlySet<string>
}

/** The part of a manifest that is read here. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  /** The form before SPDX. */
  readonly licenses?: readonly { readonly type: string }[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/**
 * Follows the dependencies of our public packages to the last one.
 * Optional packages of others are left out: they are builds of their parent for one platform.
 *
 * @param folders Folders of our packages
 * @returns One entry for each name and version, sorted
 * @throws Error for a dependency that is not installed
 */
export function collectThirdParties(folders: readonly string[]): readonly ThirdParty[] {
  const found = new Map<string, ThirdParty & { readonly broughtBy: Set<string> }>()
  for (const folder of folders) {
    const own = readManifest(folder)
    if (own.private === true) continue
    const seen = new Set<string>()
    const visit = (from: string, names: readonly string[]): void => {
      for (const name of names) {
        const path = findPackage(from, name)
        if (seen.has(path)) continue
        seen.add(path)
        const manifest = readManifest(path)
        const needed = Object.keys(manifest.dependencies ?? {})
        if (manifest.name.startsWith('@svc-audio/')) {
          visit(path, [...needed, ...Object.keys(manifest.optionalDependencies ?? {})])
          continue
        }
        const key = `${manifest.name}@${manifest.version}`
        const entry = found.get(key) ?? { ...describe(manifest), broughtBy: new Set<string>() }
        entry.broughtBy.add(own.name)
        found.set(key, entry)
        visit(path, needed)
      }
    }
    visit(realpathSync(folder), Object.keys({ ...own.dependencies, ...own.optionalDependencies }))
  }
  return [...found].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry)
}

function describe({ name, version, license, licenses = [] }: Manifest): Omit<ThirdParty, 'broughtBy'> {
  const old = licenses.map(({ type }) => type).join(' OR ')
  return { name, version, license: license ?? (old === '' ? 'none stated' : old) }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Looks a package up as Node does, without its `exports`. */
function findPackage(from: string, name: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return realpathSync(path)
    if (folder === dirname(folder)) throw new Error(`${name} is not installed. ${from} needs it`)
  }
}
