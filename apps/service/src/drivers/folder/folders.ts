import { mkdir, open, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

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

/** Makes the names in a folder durable: what was made, renamed or deleted there stays so after a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What the disk of a folder still has room for, in bytes, for who is not root. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
