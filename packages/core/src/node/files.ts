import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { HEAD_BYTES, WAV_HEADER_BYTES, wavHeader, wavStream } from '../audio/index.ts'
import { InvalidRequestError } from '../errors.ts'
import { codeOf } from '../transport/index.ts'
import { type FileAccess, OCTETS } from '../uploads/index.ts'
import { lend } from './sockets.ts'

/** Files on this machine. Uploads are read in constant memory. A result file appears only when it is complete. */
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

  save: (path, chunks) => saveFile(path, (sink) => writeChunks(sink, chunks)),

  // The header is written last, when its sizes are known.
  saveWav: (path, format, pcm, tail = new Uint8Array(0)) =>
    saveFile(path, async (sink) => {
      const bytes = (await writeChunks(sink, wavStream(format, pcm))) - WAV_HEADER_BYTES
      await sink.write(new Uint8Array(bytes % 2))
      await sink.write(tail)
      await sink.writeStart(wavHeader(format, bytes, tail.byteLength))
      return bytes
    }),
}

/** Opening a pipe or device may block forever, so the type is checked first. */
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
    const missing = codeOf(error) === 'ENOENT'
    throw new InvalidRequestError('unreadable_file', param, `${path} ${missing ? 'does not exist' : 'cannot be read'}`)
  }
}

/** Writes a file that appears only after `write` succeeds. On failure nothing remains. */
async function saveFile<Result>(path: string, write: (sink: FileSink) => Promise<Result>): Promise<Result> {
  const sink = await createFile(path)
  try {
    const result = await write(sink)
    await sink.commit()
    return result
  } catch (error) {
    await sink.discard()
    throw error
  }
}

async function writeChunks(sink: FileSink, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) {
    await sink.write(chunk)
    bytes += chunk.byteLength
  }
  return bytes
}

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
    throw new InvalidRequestError(
      'unwritable_file',
      'path',
      `${path} cannot be written: ${codeOf(error) || 'unknown error'}`,
    )
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

/** Size of one read, in bytes. It is large enough that system calls do not limit a big upload. */
const READ_BYTES = 256 * 1024

/**
 * Reads the first `size` bytes of a file, or fewer if the file is shorter. A file that grows in the meantime is cut at
 * its announced size. The memory of a chunk is reused only after a socket has written it ({@link lend}).
 */
export async function* readChunks(path: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path)
  try {
    let free: Uint8Array | undefined
    for (let from = 0; from < size;) {
      const buffer = free ?? Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size))
      free = undefined
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.byteLength, size - from), from)
      if (bytesRead === 0) return
      from += bytesRead
      const chunk = buffer.subarray(0, bytesRead)
      lend(chunk, () => (free = buffer))
      yield chunk
    }
  } finally {
    await file.close()
  }
}
