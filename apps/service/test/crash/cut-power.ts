import { appendFile, copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSteps, type Step, stepsFile } from './steps.ts'

/** Folders whose durability is the service's own job. */
const STORES = ['files', 'inputs', 'results']

/**
 * Simulates a power cut after the service was killed: removes everything unsynced from a folder. That is a name that
 * its folder's last sync did not have, data after the file's last sync, and a folder with an unsynced name. The
 * database stays: SQLite in mode FULL syncs each commit and ignores data after the last one.
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
      // From now on the disk holds the file under this number.
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
