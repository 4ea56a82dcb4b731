import { calendarNow } from '../../domain/calendar.ts'
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OBJECT_NAME as NAME, type ObjectStore } from '../../ports/object-store.ts'
import { makeFolder, syncFolder } from './folders.ts'

/** Prefix of an incomplete file. */
const UNFINISHED = /^\..*\.part$/

/**
 * Stores objects as files of one folder. Writes a temporary file, syncs it, renames it and syncs the folder: after a
 * crash a file is whole or absent. Opening removes incomplete files, so nothing else may write to the folder.
 */
export async function createFolderObjectStore(folder: string): Promise<ObjectStore> {
  await makeFolder(folder)
  for await (const { name } of await opendir(folder)) {
    if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true })
  }
  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new RangeError(`Invalid object name: ${JSON.stringify(name)}`)
    return join(folder, name)
  }
  return {
    async put(name, source) {
      const target = pathOf(name)
      const temporary = join(folder, `.${randomUUID()}.part`)
      try {
        const bytes = await writeDurably(temporary, source)
        await rename(temporary, target)
        await syncFolder(folder)
        return { bytes }
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },
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
      await rename(path, target)
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
    async delete(name) {
      await rm(pathOf(name), { force: true })
      await syncFolder(folder)
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

async function writeDurably(path: string, source: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600)
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
  const seconds = calendarNow() / 1000
  await file.utimes(seconds, seconds)
}
