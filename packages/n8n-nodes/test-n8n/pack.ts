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
  await mkdir(folder, { recursive: true })
  await run(PNPM, ['pack', '--pack-destination', folder], { cwd: PACKAGE_FOLDER })
  const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('pnpm pack made no tarball')
  await run('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: folder })
}
