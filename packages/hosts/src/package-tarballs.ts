import { globSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from './run.ts'

const ROOT = join(import.meta.dirname, '../../..')

interface Manifest {
  readonly name: string
  readonly private?: boolean
}

/**
 * Packs every published package of the repository as for publishing. Build first.
 *
 * @param folder Folder of the tarballs. Created if missing.
 * @returns Package name to tarball path.
 * @throws Error when a package cannot be packed
 */
export async function packageTarballs(folder: string): Promise<ReadonlyMap<string, string>> {
  await mkdir(folder, { recursive: true })
  const tarballs = new Map<string, string>()
  for (const path of globSync('{packages,apps}/*/package.json', { cwd: ROOT })) {
    const manifest: Manifest = JSON.parse(await readFile(join(ROOT, path), 'utf8'))
    if (manifest.private === true) continue
    const tarball = join(folder, `${manifest.name.replace(/\W+/g, '-').replace(/^-/, '')}.tgz`)
    const pnpm = join(ROOT, 'node_modules/.bin/pnpm')
    const { exitCode, stdout, stderr } = await run(pnpm, ['pack', '--out', tarball], { cwd: join(ROOT, dirname(path)) })
    if (exitCode !== 0) throw new Error(`${manifest.name} cannot be packed:\n${stdout}\n${stderr}`)
    tarballs.set(manifest.name, tarball)
  }
  return tarballs
}
