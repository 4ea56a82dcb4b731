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
