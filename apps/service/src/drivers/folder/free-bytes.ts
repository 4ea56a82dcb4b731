import { statfs } from 'node:fs/promises'

/** What the disk of a folder still has room for, in bytes, for who is not root. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
