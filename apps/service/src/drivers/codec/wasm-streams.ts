import { fstatSync, openSync, readSync, writeSync } from 'node:fs'

import type { FfmpegCore, StreamOperations } from './core-types.ts'

/** Errno of an invalid argument, in Emscripten's numbering. */
const EINVAL = 28

/** How long to wait when a pipe is full or empty but does not block, in milliseconds. */
const RETRY_MS = 2

const nap = new Int32Array(new SharedArrayBuffer(4))

/** Repeats a call on a descriptor until it neither would block nor was interrupted. */
function blocking(call: () => number): number {
  for (;;) {
    try {
      return call()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EOF') return 0 // how Windows reports that a pipe has ended
      if (code !== 'EAGAIN' && code !== 'EINTR') throw error
      Atomics.wait(nap, 0, 0, RETRY_MS)
    }
  }
}

/** Reads what is there from a pipe, waiting for at least one byte; 0 at its end. */
export function readPipe(descriptor: number, into: Uint8Array | Int8Array, offset: number, length: number): number {
  return blocking(() => readSync(descriptor, into, offset, length, null))
}

/** Writes all of the bytes to a pipe, waiting while its reader is slow. */
export function writePipe(descriptor: number, bytes: Uint8Array | Int8Array, offset: number, length: number): void {
  let written = 0
  while (written < length) {
    const from = offset + written
    const left = length - written
    written += blocking(() => writeSync(descriptor, bytes, from, left))
  }
}

/**
 * Makes ffmpeg's `pipe:0` and `pipe:1` this process's own standard input and output, so that encoded sound leaves
 * while PCM still arrives, and nothing is held in memory.
 */
export function connectPipes(core: FfmpegCore): void {
  core.FS.getStream(0).stream_ops = {
    read: (_stream, buffer, offset, length) => readPipe(0, buffer, offset, length),
  }
  core.FS.getStream(1).stream_ops = {
    write: (_stream, buffer, offset, length) => {
      writePipe(1, buffer, offset, length)
      return length
    },
  }
}

/**
 * Shows a file of this machine to ffmpeg under `name`, read where ffmpeg wants to read it: memory stays the same
 * however large the file is. Nothing else of this machine's files is visible to ffmpeg.
 */
export function showFile(core: FfmpegCore, path: string, name: string): void {
  const descriptor = openSync(path, 'r')
  const node = core.FS.create(name, 0o444)
  node.usedBytes = fstatSync(descriptor).size
  node.stream_ops = hostFile(core, descriptor, node.usedBytes)
}

function hostFile(core: FfmpegCore, descriptor: number, size: number): StreamOperations {
  const parent = process.ppid
  return {
    llseek: (stream, offset, whence) => {
      const base = whence === 1 ? stream.position : whence === 2 ? size : 0
      if (base + offset < 0) throw new core.FS.ErrnoError(EINVAL)
      return base + offset
    },
    read: (_stream, buffer, offset, length, position) => {
      // Nobody is left to read the result, and without output no broken pipe would tell.
      if (process.ppid !== parent) process.exit(0)
      return readSync(descriptor, buffer, offset, length, position)
    },
  }
}
