import { output, packageTarballs } from '@svc-audio/kit/hosts'

const NAME = 'n8n-nodes-svc-audio'

/**
 * Packs the built package as for publishing, and unpacks it.
 * @param folder Created if missing. Holds the package's files afterwards.
 */
export async function packInto(folder: string): Promise<void> {
  await output('tar', ['-xzf', await packTarball(folder), '--strip-components=1'], { cwd: folder })
}

/** The package as it would be published. */
export interface Packed {
  /** Path of the tarball. */
  readonly tarball: string
  /** Its package.json. */
  readonly manifest: object
}

/**
 * Packs the built package as for publishing.
 * @param folder Created if missing.
 */
export async function pack(folder: string): Promise<Packed> {
  const tarball = await packTarball(folder)
  const manifest: object = JSON.parse(await output('tar', ['-xzOf', tarball, 'package/package.json'], { cwd: folder }))
  return { tarball, manifest }
}

async function packTarball(folder: string): Promise<string> {
  const packages = await packageTarballs(folder, [NAME])
  const tarball = packages.get(NAME)?.tarball
  if (tarball === undefined) throw new Error(`${NAME} is not a published package of this repository`)
  return tarball
}
