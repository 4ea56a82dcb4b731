import { globSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { output } from './run.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** A package as it would be published. */
export interface PackedPackage {
  /** Path of the tarball. */
  readonly tarball: string
  /** Folder of its sources, from the root of the repository. */
  readonly source: string
  /** Peer dependencies: name to range. */
  readonly peers: Readonly<Record<string, string>>
  /** Names of the packages that it needs, without optional peers. */
  readonly needs: readonly string[]
}

/**
 * Packs published packages of the repository as for publishing. Build first.
 *
 * @param folder Folder of the tarballs. Created if missing.
 * @param names Packages to pack. @default every published package
 * @returns Package name to tarball and peers.
 * @throws Error when a package cannot be packed
 */
export async function packageTarballs(
  folder: string,
  names?: readonly string[],
): Promise<ReadonlyMap<string, PackedPackage>> {
  await mkdir(folder, { recursive: true })
  const packages = new Map<string, PackedPackage>()
  for (const path of globSync('{apps,engines,kit,packages}/*/package.json', { cwd: ROOT })) {
    const manifest: Manifest = JSON.parse(await readFile(join(ROOT, path), 'utf8'))
    const { name, dependencies = {}, optionalDependencies: extras = {} } = manifest
    const { peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = manifest
    if (manifest.private === true || names?.includes(name) === false) continue
    const tarball = join(folder, `${name.replace(/\W+/g, '-').replace(/^-/, '')}.tgz`)
    const pnpm = join(ROOT, 'node_modules/.bin/pnpm')
    await output(pnpm, ['pack', '--out', tarball], { cwd: join(ROOT, dirname(path)) })
    const own = Object.keys({ ...dependencies, ...extras })
    const needs = [...own, ...Object.keys(peers).filter((peer) => meta[peer]?.optional !== true)]
    packages.set(name, { tarball, source: dirname(path), peers, needs })
  }
  return packages
}
