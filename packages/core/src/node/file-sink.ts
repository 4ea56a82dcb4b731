import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidRequestError } from '../errors/request-errors.ts'

/** A file being written. It appears under its name only after {@link FileSink.commit}. */
export interface FileSink {
  /** Appends bytes. Write one piece after another: wait for each. */
  write(bytes: Uint8Array): Promise<void>
  /** Overwrites the first bytes, for a header with the final size. */
  writeStart(bytes: Uint8Array): Promise<void>
  /** Closes the file and gives it its name, in the place of an older file. */
  commit(): Promise<void>
  /** Removes what was written. An older file of that name stays. */
  discard(): Promise<void>
}

/**
 * Starts a file.
 * @throws InvalidRequestError if its folder is missing or not writable
 */
export async function createFile(path: string): Promise<FileSink> {
  const target = resolve(path)
  if (await isDirectory(target)) throw new InvalidRequestError('unwritable_file', 'path', `${path} is a directory`)
  // The same folder: a rename across file systems is not atomic.
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
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )
}

/** One write may take fewer bytes, e.g. on a nearly full disk. */
async function writeAll(file: FileHandle, bytes: Uint8Array, start?: number): Promise<void> {
  for (let from = 0; from < bytes.byteLength;) {
    const position = start === undefined ? null : start + from
    const { bytesWritten } = await file.write(bytes, from, bytes.byteLength - from, position)
    from += bytesWritten
  }
}

/** The code of a system error, e.g. `ENOENT`. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'
}
