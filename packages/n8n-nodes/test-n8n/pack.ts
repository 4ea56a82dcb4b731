import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PACKAGE_FOLDER = join(import.meta.dirname, '..')
const PNPM = join(PACKAGE_FOLDER, '../../node_modules/.bin/pnpm')

/**
 * Packs the built package as it would be published and unpacks it.
 * @param folder Made for it; holds the package's files afterwards.
 */
export async function packInto(folder: string): Promise<void> {
  const { tarball } = await pack(folder)
  await run('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: folder })
}

/** The package as it would be published. */
export interface Packed {
  /** Path of the tarball. */
  readonly tarball: string
  /** Its package.json. */
  readonly manifest: object
}

/**
 * Packs the built package as it would be published.
 * @param folder Made for it.
 */
export async function pack(folder: string): Promise<Packed> {
  await mkdir(folder, { recursive: true })
  await run(PNPM, ['pack', '--pack-destination', folder], { cwd: PACKAGE_FOLDER })
  const file = (await readdir(folder)).find((one) => one.endsWith('.tgz'))
  if (file === undefined) throw new Error('pnpm pack made no tarball')
  const tarball = join(folder, file)
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json'])
  const manifest: object = JSON.parse(stdout)
  return { tarball, manifest }
}
