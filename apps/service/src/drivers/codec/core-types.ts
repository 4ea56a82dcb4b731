// The parts of `@ffmpeg/core` 0.12 that we use: an Emscripten module without types of its own, whose names are stored.

/** What Emscripten calls for an open file. A failure is thrown as `FS.ErrnoError`. */
export interface StreamOperations {
  /** Moves a stream. `whence` is 0 from the start, 1 from the position, 2 from the end. Returns the position. */
  llseek?(stream: { readonly position: number }, offset: number, whence: number): number
  /** Fills `buffer` from `offset`; returns the bytes read, 0 at the end. */
  read?(stream: unknown, buffer: Int8Array, offset: number, length: number, position: number): number
  /** Takes `length` bytes from `offset` of `buffer`; returns how many. */
  write?(stream: unknown, buffer: Int8Array, offset: number, length: number): number
}

/** A file of Emscripten's file system. */
export interface FileNode {
  /** Size that `stat` reports. */
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
  /** What the WebAssembly module exports, under names that the build has shortened. */
  readonly asm: Readonly<Record<string, ((value: number) => number) | undefined>>
  readonly _malloc: (bytes: number) => number
  setLogger(logger: (line: { readonly type: string; readonly message: string }) => void): void
  /** Runs ffmpeg to its end, blocking. Returns its exit code; throws when the code traps. */
  exec(...args: readonly string[]): number
}

/** How ffmpeg is loaded. */
export interface CoreOptions {
  readonly wasmBinary: Uint8Array
  readonly locateFile: (path: string) => string
}

/** What the package exports by default; `ffmpeg-core.d.ts` declares it. @public */
export type CreateCore = (options: CoreOptions) => Promise<FfmpegCore>
