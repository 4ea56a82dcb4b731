import { wallClockNow } from '../../domain/clock.ts'
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OBJECT_NAME as NAME, type ObjectStore } from '../../ports/object-store.ts'
import { errorCode } from '../../domain/error-code.ts'
import { ObjectStoreUnavailableError } from '../../domain/errors.ts'
import { isFolder, makeFolder, syncFolder } from './folders.ts'

/** Prefix of an incomplete file. */
const UNFINISHED = /^\..*\.part$/

/** Options of {@link createFolderObjectStore}. */
export interface FolderObjectStoreOptions {
  /** Whether a service may write to the folder at the same time: incomplete files then stay. @default false */
  readonly beside?: boolean
}

/**
 * Stores objects as files of one folder. Writes a temporary file, syncs it, renames it and syncs the folder: after a
 * crash a file is whole or absent. Opening removes incomplete files, so nothing else may write to the folder.
 */
export async function createFolderObjectStore(
  folder: string,
  { beside = false }: FolderObjectStoreOptions = {},
): Promise<ObjectStore> {
  await makeFolder(folder)
  if (!beside) await removeUnfinished(folder)
  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new RangeError(`Invalid object name: ${JSON.stringify(name)}`)
    return join(folder, name)
  }
  return {
    put: async (name, source) => putDurably(folder, pathOf(name), source),
    async putFile(name, path) {
      const target = pathOf(name)
      const file = await open(path, 'r+')
      let bytes: number
      try {
        await file.sync()
        bytes = (await file.stat()).size
      } finally {
        await file.close()
      }
      await madeAgain(folder, () => rename(path, target))
      await syncFolder(folder)
      return { bytes }
    },
    sizeOfFile: async (path) => (await stat(path)).size,
    async withFile(name, use) {
      const info = await stat(pathOf(name)).catch(() => undefined)
      return info?.isFile() === true ? use(pathOf(name)) : undefined
    },
    async stat(name) {
      const info = NAME.test(name) ? await stat(join(folder, name)).catch(() => undefined) : undefined
      return info?.isFile() === true ? { bytes: info.size, storedAt: info.mtimeMs } : undefined
    },
    async open(name, part) {
      if (!NAME.test(name)) return undefined
      // The file is opened first, so a concurrent delete does not break the reader.
      const file = await open(join(folder, name)).catch(() => undefined)
      if (file === undefined) return undefined
      const info = await file.stat()
      if (info.isFile()) return { bytes: info.size, stream: file.createReadStream(part) }
      await file.close()
      return undefined
    },
    async deleteAll(names) {
      const refused: string[] = []
      for (const name of names) {
        try {
          await rm(pathOf(name), { force: true })
        } catch (error) {
          if (!REFUSED.has(errorCode(error))) throw error
          refused.push(name)
        }
      }
      if (names.length > 0 && (await isFolder(folder))) await syncFolder(folder)
      return refused
    },
    async delete(name) {
      await deleteDurably(folder, pathOf(name))
    },
    async *list() {
      for await (const { name } of await opendir(folder)) {
        if (!NAME.test(name)) continue
        // The file may have been deleted in the meantime.
        const info = await stat(join(folder, name)).catch(() => undefined)
        if (info?.isFile() === true) yield { name, storedAt: info.mtimeMs }
      }
    },
  }
}

async function removeUnfinished(folder: string): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true })
  }
}

async function putDurably(
  folder: string,
  target: string,
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number }> {
  const temporary = join(folder, `.${randomUUID()}.part`)
  const file = await madeAgain(folder, () => open(temporary, 'wx', 0o600))
  try {
    const bytes = await writeDurably(file, source)
    await rename(temporary, target)
    await syncFolder(folder)
    return { bytes }
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw await explained(folder, error)
  }
}

/** Codes of a file that the system does not let this process delete. */
const REFUSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EBUSY', 'EISDIR', 'ERR_FS_EISDIR'])

/** With a folder that has vanished, its objects are gone too. */
async function deleteDurably(folder: string, path: string): Promise<void> {
  try {
    await rm(path, { force: true })
    await syncFolder(folder)
  } catch (error) {
    if (await isFolder(folder)) throw error
  }
}

/**
 * Works in a folder. A folder that has vanished is made again, and the work repeated.
 * @throws ObjectStoreUnavailableError when the folder cannot be made; what the work throws
 */
async function madeAgain<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!VANISHED.has(errorCode(error)) || (await isFolder(folder))) throw error
  }
  try {
    await makeFolder(folder)
    return await work()
  } catch (error) {
    throw await explained(folder, error)
  }
}

/** Codes of work in a folder that is missing, or no folder any more. */
const VANISHED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR'])

/** Returns the error of work in a folder: of a missing folder, one that says that nothing was stored. */
async function explained(folder: string, error: unknown): Promise<unknown> {
  if (await isFolder(folder)) return error
  return new ObjectStoreUnavailableError({ cause: error }, 'A folder of stored objects is missing and cannot be made')
}

async function writeDurably(file: FileHandle, source: AsyncIterable<Uint8Array>): Promise<number> {
  try {
    let bytes = 0
    for await (const chunk of source) {
      // Unlike `write`, it continues until all bytes are written.
      await file.writeFile(chunk)
      bytes += chunk.byteLength
    }
    await stamp(file)
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}

/** Lifetimes count from the time of the service, which no step of the wall clock changes. */
async function stamp(file: FileHandle): Promise<void> {
  const seconds = wallClockNow() / 1000
  await file.utimes(seconds, seconds)
}
