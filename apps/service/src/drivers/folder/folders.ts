import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, link, mkdir, mkdtemp, open, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { errorCode } from '../../domain/error-code.ts'
import type { ScratchSpace } from '../../ports/disk.ts'

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

/** Scratch space in a folder. The folder must exist. */
export function createScratchSpace(folder: string): ScratchSpace {
  const withPath: ScratchSpace['withPath'] = async (use) => {
    const own = await mkdtemp(join(folder, 'fetch-'))
    try {
      return await use(join(own, 'file'))
    } finally {
      await rm(own, { recursive: true, force: true })
    }
  }
  return {
    withPath,
    withCopy: (source, use) =>
      withPath(async (path) => {
        await pipeline(Readable.from(source, { objectMode: false }), createWriteStream(path, { mode: 0o600 }))
        return use(() => createReadStream(path))
      }),
    async clear() {
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}

/** Path of the key of a folder. */
export function secretKeyPath(folder: string): string {
  return join(folder, 'secret.key')
}

/**
 * Reads the key that seals the secrets of a data folder: its file `secret.key`. The first call makes it. It is not in the
 * database, so a copy of the database alone reveals no secret.
 */
export async function readSecretKey(folder: string): Promise<string> {
  const path = secretKeyPath(folder)
  const known = await readFile(path, 'utf8').catch(() => '')
  if (known !== '') return known.trim()
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(32).toString('base64url')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    // Of two processes that make it, the first one counts.
    await link(temporary, path).catch(() => undefined)
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(folder)
  return (await readFile(path, 'utf8')).trim()
}

/** What a running service uses as its codec. */
const CodecNote = z.object({ launcher: z.enum(['system', 'wasm', 'none']), version: z.string().optional() })

/** What a running service uses as its codec. */
export type CodecNote = z.infer<typeof CodecNote>

const codecNotePath = (dataDir: string): string => join(dataDir, 'cache', 'codec.json')

/** Stores which codec the service on this folder uses, for `doctor`. A folder that cannot be written stays as it is. */
export async function writeCodecNote(dataDir: string, { launcher, version }: CodecNote): Promise<void> {
  try {
    await mkdir(join(dataDir, 'cache'), { recursive: true, mode: 0o700 })
    await writeFile(codecNotePath(dataDir), `${JSON.stringify({ launcher, version })}\n`, { mode: 0o600 })
  } catch {
    // A full disk must not stop the service.
  }
}

/** Reads which codec the last service on this folder used. @returns `undefined` without a readable note */
export async function readCodecNote(dataDir: string): Promise<CodecNote | undefined> {
  try {
    return CodecNote.parse(JSON.parse(await readFile(codecNotePath(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}
