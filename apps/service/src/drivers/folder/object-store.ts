import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '../../ports/object-store.ts'

/** Names this store makes files of: no separators, no leading dot, so that no name leaves the folder. */
const NAME = /^[\w-][\w.-]{0,199}$/

/**
 * Objects as files of one folder. Written to a temporary file, synced, renamed, and the folder synced: after a crash a
 * file is whole or absent.
 */
export async function createFolderObjectStore(folder: string): Promise<ObjectStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new RangeError(`Not an object name: ${JSON.stringify(name)}`)
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
    async open(name) {
      if (!NAME.test(name)) return undefined
      const info = await stat(join(folder, name)).catch(() => undefined)
      if (info?.isFile() !== true) return undefined
      return { bytes: info.size, stream: createReadStream(join(folder, name)) }
    },
    async delete(name) {
      await rm(pathOf(name), { force: true })
      await syncFolder(folder)
    },
  }
}

async function writeDurably(path: string, source: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    let bytes = 0
    for await (const chunk of source) {
      await file.write(chunk)
      bytes += chunk.byteLength
    }
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
