import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/**
 * Makes a folder, and those above it that are missing. When it resolves they survive a power cut: each new one is an
 * entry of the folder above it, which is synced.
 *
 * One at a time, since Node's `recursive` tries for ever where a file system such as `/proc` says that a folder which is
 * there is missing.
 */
export async function makeFolder(path: string): Promise<void> {
  const whole = resolve(path)
  if (await isFolder(whole)) return
  const above = dirname(whole)
  if (above !== whole) await makeFolder(above)
  try {
    await mkdir(whole, { mode: 0o700 })
  } catch (error) {
    // Somebody else may have made it in this moment.
    if (!(await isFolder(whole))) throw error
  }
  await syncFolder(above)
}

/** Whether a folder is there, as far as this process can see. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
