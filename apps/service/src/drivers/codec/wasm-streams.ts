import { fstatSync, openSync, readSync, writeSync } from 'node:fs'

import type { FfmpegCore, StreamOperations } from './core-types.ts'

/** Errno of an invalid argument, in Emscripten's numbering. */
const EINVAL = 28

/** Wait for a full or empty pipe that does not block, in milliseconds. */
const RETRY_MS = 2

const nap = new Int32Array(new SharedArrayBuffer(4))

/** Repeats a call on a descriptor while it would block or is interrupted. */
function blocking(call: () => number): number {
  for (;;) {
    try {
      return call()
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EOF') return 0 // Windows reports the end of a pipe so.
      if (code !== 'EAGAIN' && code !== 'EINTR') throw error
      Atomics.wait(nap, 0, 0, RETRY_MS)
    }
  }
}

/** Reads available bytes from a pipe. Waits for at least one byte. Returns 0 at the end. */
export function readPipe(descriptor: number, into: Uint8Array | Int8Array, offset: number, length: number): number {
  return blocking(() => readSync(descriptor, into, offset, length, null))
}

/** Writes all bytes to a pipe, and waits while its reader is slow. */
export function writePipe(descriptor: number, bytes: Uint8Array | Int8Array, offset: number, length: number): void {
  let written = 0
  while (written < length) {
    const from = offset + written
    const left = length - written
    written += blocking(() => writeSync(descriptor, bytes, from, left))
  }
}

/**
 * Connects ffmpeg's `pipe:0` and `pipe:1` with this process's standard input and output. Encoded sound goes out while
 * PCM still arrives, and no copy stays in memory.
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
 * Shows a file of this machine to ffmpeg under `name`. Reads it where ffmpeg seeks, so memory use does not depend on
 * the file's size. ffmpeg sees no other file of this machine.
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
      // The reader is gone. Without output no broken pipe would report that.
      if (process.ppid !== parent) process.exit(0)
      return readSync(descriptor, buffer, offset, length, position)
    },
  }
}
