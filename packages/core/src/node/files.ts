import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { HEAD_BYTES } from '../transport/sniff.ts'
import { OCTETS } from '../transport/upload-name.ts'
import type { FileAccess } from '../transport/uploads.ts'
import { readChunks } from './file-chunks.ts'

/** Files on this machine: uploads are read in constant memory, results appear whole or not at all. */
export const nodeFiles: FileAccess = {
  async open(path, param) {
    const { size, head } = await look(path, param)
    return {
      name: basename(path),
      type: OCTETS,
      size,
      head,
      open: () => readChunks(path, size),
    }
  },

  async create(path) {
    const target = resolve(path)
    if (await isDirectory(target)) throw new InvalidRequestError('unwritable_file', 'path', `${path} is a directory`)
    // In the same folder, since a rename across file systems is not atomic.
    const temporary = `${target}.${randomUUID()}.part`
    const file = await open(temporary, 'wx').catch((error: unknown) => {
      throw new InvalidRequestError('unwritable_file', 'path', `${path} cannot be written: ${systemCode(error)}`)
    })
    return {
      write: (bytes) => writeAll(file, bytes),
      writeStart: (bytes) => writeAll(file, bytes, 0),
      commit: async () => {
        await file.close()
        await rename(temporary, target)
      },
      discard: async () => {
        await file.close().catch(() => {})
        await rm(temporary, { force: true })
      },
    }
  },
}

/** Opening what is no file may wait for ever, so that is asked first. */
async function look(path: string, param: string): Promise<{ size: number; head: Uint8Array }> {
  try {
    const info = await stat(path)
    if (!info.isFile()) throw new InvalidRequestError('not_a_file', param, `${path} is not a file`)
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0)
      return { size: info.size, head: buffer.subarray(0, bytesRead) }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error
    const missing = systemCode(error) === 'ENOENT'
    throw new InvalidRequestError('unreadable_file', param, `${path} ${missing ? 'does not exist' : 'cannot be read'}`)
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )
}

/** One write may take less than it was given, e.g. on a disk that is nearly full. */
async function writeAll(file: FileHandle, bytes: Uint8Array, start?: number): Promise<void> {
  for (let from = 0; from < bytes.byteLength;) {
    const position = start === undefined ? null : start + from
    const { bytesWritten } = await file.write(bytes, from, bytes.byteLength - from, position)
    from += bytesWritten
  }
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'
}
