import { appendFile, copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSteps, type Step, stepsFile } from './steps.ts'

/** Folders whose files are durable, or not, by the service's own doing. */
const STORES = ['files', 'inputs', 'results']

/**
 * Takes from a folder everything that was never synced, as a power cut may, after its service was killed: a name that
 * its folder's last sync did not have, data that came after the file's last sync, a folder whose own name was not
 * synced. The database stays as it is: what SQLite has committed in its mode FULL is synced, and what comes after the
 * last commit it ignores.
 */
export async function cutPower(dataDir: string, stepsFolder: string): Promise<void> {
  const steps = await readSteps(stepsFolder)
  const data = new Map(steps.flatMap((step) => (step.step === 'file' ? [[step.inode, step.copy]] : [])))
  const folders = new Map(steps.flatMap((step) => (step.step === 'folder' ? [[step.path, step.names]] : [])))
  const durable = folders.get(dataDir) ?? {}
  for (const store of STORES) {
    const path = join(dataDir, store)
    await rm(path, { recursive: true, force: true })
    if (!(store in durable)) continue
    await mkdir(path)
    const names: Record<string, number> = {}
    for (const [name, inode] of Object.entries(folders.get(path) ?? {})) {
      const file = join(path, name)
      const copy = data.get(inode)
      await (copy === undefined ? writeFile(file, '') : copyFile(copy, file))
      names[name] = (await stat(file)).ino
      // From now on it is on the disk under this number.
      if (copy !== undefined)
        await remember(stepsFolder, { step: 'file', path: file, inode: names[name], copy, restored: true })
    }
    await remember(stepsFolder, { step: 'folder', path, names })
  }
  const uploads = join(dataDir, 'uploads')
  for (const name of await readdir(uploads).catch(() => [])) await rm(join(uploads, name), { recursive: true })
}

async function remember(stepsFolder: string, step: Step): Promise<void> {
  await appendFile(stepsFile(stepsFolder), `${JSON.stringify(step)}\n`)
}
