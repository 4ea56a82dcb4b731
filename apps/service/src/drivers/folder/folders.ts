import { chmod, mkdir, open, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errorCode } from '../../domain/error-code.ts'

/**
 * Makes a folder and its missing parents. They survive a power cut: each new folder is an entry of its parent, which is
 * synced.
 *
 * Makes one folder at a time: Node's `recursive` retries for ever on a file system such as `/proc`, which reports an
 * existing folder as missing.
 */
export async function makeFolder(path: string): Promise<void> {
  const whole = resolve(path)
  if (await isFolder(whole)) return
  const above = dirname(whole)
  if (above !== whole) await makeFolder(above)
  try {
    await mkdir(whole, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it at this moment.
    if (!(await isFolder(whole))) throw error
  }
  await syncFolder(above)
}

/** Whether a folder exists, as far as this process can see. */
export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Makes the names in a folder durable: created, renamed and deleted entries survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Closes a folder to other users of the machine, whatever its mode was before. A folder of another user, such as a
 * mounted volume, keeps its mode.
 */
export async function makePrivate(folder: string): Promise<void> {
  try {
    await chmod(folder, 0o700)
  } catch (error) {
    if (!['EPERM', 'EROFS', 'ENOSYS', 'ENOTSUP'].includes(errorCode(error))) throw error
  }
}

/** A disk with less free space, in bytes, is full: an upload needs more. */
const LEAST_FREE_BYTES = 1024 * 1024

/** A disk with fewer free inodes is full: each task and upload in flight needs one or two. */
const LEAST_FREE_INODES = 16

/** Whether a disk has hardly any space or hardly any free inodes. Some file systems do not count inodes. */
export async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(folder)
  return bavail * bsize < LEAST_FREE_BYTES || (files > 0 && ffree < LEAST_FREE_INODES)
}

/** Free space on the disk of a folder, in bytes, for users other than root. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
