import { fstatSync, openSync, readSync, writeSync } from 'node:fs'

import type { FfmpegCore, StreamOperations } from './core-types.ts'
import { FRAME_HEADER_BYTES, frameHeader } from './wasm-frames.ts'

/** Errno of an invalid argument, in Emscripten's numbering. */
const EINVAL = 28

/** Size of the reads of unused input. */
const DRAINED_BYTES = 65_536

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

/** Reads that many bytes from standard input. Returns `undefined` when it ends earlier. */
export function readExactly(length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length)
  for (let filled = 0; filled < length;) {
    const count = readPipe(0, bytes, filled, length - filled)
    if (count === 0) return undefined
    filled += count
  }
  return bytes
}

/** ffmpeg's input: the frames on standard input up to the one without bytes. */
export class FramedInput {
  #ended = false
  /** Unread bytes of the current frame. */
  #left = 0

  read(into: Int8Array, offset: number, length: number): number {
    if (this.#left === 0 && !this.#ended) this.#left = readExactly(FRAME_HEADER_BYTES)?.readUInt32LE() ?? 0
    const count = this.#left === 0 ? 0 : readPipe(0, into, offset, Math.min(length, this.#left))
    this.#left -= count
    this.#ended = count === 0
    return count
  }

  /** Reads to the end. */
  drain(): void {
    const bytes = new Int8Array(DRAINED_BYTES)
    while (this.read(bytes, 0, bytes.byteLength) > 0);
  }
}

/**
 * Connects ffmpeg's `pipe:0` and `pipe:1` with this process's standard input and output for one run. Encoded sound goes
 * out while PCM still arrives, and no copy stays in memory.
 */
export function connectPipes(core: FfmpegCore): FramedInput {
  const input = new FramedInput()
  core.FS.getStream(0).stream_ops = {
    read: (_stream, buffer, offset, length) => input.read(buffer, offset, length),
  }
  core.FS.getStream(1).stream_ops = {
    write: (_stream, buffer, offset, length) => {
      const bytes = Buffer.from(buffer.buffer, buffer.byteOffset + offset, length)
      const frame = Buffer.concat([frameHeader(length), bytes])
      writePipe(1, frame, 0, frame.byteLength)
      return length
    },
  }
  return input
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
