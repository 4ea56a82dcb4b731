import { fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { MAX_MEMORY_BYTES } from './limits.ts'
import { FRAME_HEADER_BYTES, frameHeader } from './wasm-frames.ts'

/** Size of ffmpeg's stack, in bytes: the usual one of a Linux program. */
const STACK_BYTES = 8 * 1024 * 1024

/** ffmpeg, loaded and ready for any number of runs. */
export interface LoadedCore {
  readonly core: FfmpegCore
  /** Runs ffmpeg to its end, blocking. Returns its exit code. Throws when the code traps. */
  readonly exec: (args: readonly string[]) => number
}

/**
 * Loads ffmpeg's WebAssembly build into this process. It is GPL and blocks, so only a child process may call this,
 * never the service itself.
 */
export async function loadCore(): Promise<LoadedCore> {
  // The package is built for web workers: it reads these globals while it loads.
  Object.assign(globalThis, { self: globalThis, location: { href: 'file:///' }, importScripts: () => undefined })
  const [{ default: create }, wasmBinary, glue] = await Promise.all([
    import('@ffmpeg/core'),
    readFile(new URL(import.meta.resolve('@ffmpeg/core/wasm'))),
    readFile(new URL(import.meta.resolve('@ffmpeg/core')), 'utf8'),
  ])
  // Its build allows 2 GiB.
  limitWasmMemory(MAX_MEMORY_BYTES)
  const core = await create({ wasmBinary, locateFile: (path) => path })
  const resetStack = widenStack(core, glue)
  return {
    core,
    exec(args) {
      // Each run ends by an abort, which leaves some of the stack taken.
      resetStack()
      return core.exec(...args)
    },
  }
}

/**
 * Moves the stack to a larger place. The build has 64 KB without an overflow check, and its data lies right below.
 * libopus in stereo overruns it and destroys the heap; other deep code may too. The export that sets the stack pointer
 * has a short name that differs between builds, so the function reads the name from the package's JavaScript.
 *
 * @returns Empties the stack.
 */
function widenStack(core: FfmpegCore, glue: string): () => void {
  const name = /stackRestore=function\(\)\{return\(stackRestore=Module\["asm"\]\["(\w+)"\]/.exec(glue)?.[1]
  const setStackPointer = name === undefined ? undefined : core.asm[name]
  if (setStackPointer === undefined) throw new Error('unknown build: its stack pointer was not found')
  // Stacks grow downwards, in steps of 16 bytes.
  const { _malloc: allocate } = core
  const top = allocate(STACK_BYTES) + STACK_BYTES
  return () => void setStackPointer(top - (top % 16))
}

// Types for the used part of WebAssembly's JavaScript interface. TypeScript has them only in its DOM library.

interface Memory {
  readonly buffer: ArrayBuffer
}

interface MemoryPrototype {
  grow: (this: Memory, pages: number) => number
}

const PAGE_BYTES = 64 * 1024

/**
 * Limits every WebAssembly memory of this process to that many bytes, whatever its module allows. A program beyond the
 * limit sees a failed allocation.
 */
export function limitWasmMemory(bytes: number): void {
  const { prototype }: { readonly prototype: MemoryPrototype } = Reflect.get(
    Reflect.get(globalThis, 'WebAssembly'),
    'Memory',
  )
  const { grow } = prototype
  prototype.grow = function limited(pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > bytes) throw new RangeError(`No memory beyond ${bytes} bytes`)
    return grow.call(this, pages)
  }
}

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

// The used parts of `@ffmpeg/core` 0.12, an Emscripten module without types. The names are the module's.

/** Functions that Emscripten calls for an open file. They throw a failure as `FS.ErrnoError`. */
export interface StreamOperations {
  /** Moves a stream. `whence` is 0 from the start, 1 from the position, 2 from the end. Returns the position. */
  llseek?(stream: { readonly position: number }, offset: number, whence: number): number
  /** Fills `buffer` from `offset`. Returns the number of bytes read, 0 at the end. */
  read?(stream: unknown, buffer: Int8Array, offset: number, length: number, position: number): number
  /** Writes `length` bytes from `offset` of `buffer`. Returns the number of bytes written. */
  write?(stream: unknown, buffer: Int8Array, offset: number, length: number): number
}

/** A file of Emscripten's file system. */
export interface FileNode {
  /** Size in the result of `stat`. */
  usedBytes: number
  stream_ops: StreamOperations
}

/** ffmpeg, loaded. */
export interface FfmpegCore {
  readonly FS: {
    readonly ErrnoError: new (errno: number) => Error
    create(path: string, mode: number): FileNode
    getStream(descriptor: number): { stream_ops: StreamOperations }
    readFile(path: string): Uint8Array
  }
  /** Exports of the WebAssembly module, under names that the build has shortened. */
  readonly asm: Readonly<Record<string, ((value: number) => number) | undefined>>
  readonly _malloc: (bytes: number) => number
  setLogger(logger: (line: { readonly type: string; readonly message: string }) => void): void
  /** Runs ffmpeg to its end, blocking. Returns its exit code. Throws when the code traps. */
  exec(...args: readonly string[]): number
}

/** Options for loading ffmpeg. */
export interface CoreOptions {
  readonly wasmBinary: Uint8Array
  readonly locateFile: (path: string) => string
}

/** The package's default export; `ffmpeg-core.d.ts` declares it. @public */
export type CreateCore = (options: CoreOptions) => Promise<FfmpegCore>
