import {
  exportedMemory,
  exportedProcedure,
  instantiateWasm,
  type WasmInstance,
  type WasmMemory,
  type WasmModule,
} from '@svc-audio/engine-ports/driver'

/** The only file that a command can create. No other path exists for it. */
export const OUTPUT_FILE = 'output'

/** The output of a command. */
export interface WasiResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Content of {@link OUTPUT_FILE}; empty when the command did not write it. */
  readonly output: Uint8Array<ArrayBuffer>
}

/** Growth that a restored command may keep for later runs. A sentence of 150 characters needs 9 MB. */
const MAX_GROWTH_BYTES = 32 * 1024 * 1024

// File descriptors: 0 to 2 are the standard streams, then the folder (as WASI requires), then the output file.
const STDOUT = 1
const STDERR = 2
const FOLDER = 3
const OUTPUT = 4

// Error numbers and file types of WASI preview 1.
const SUCCESS = 0
const BAD_DESCRIPTOR = 8
const NO_ENTRY = 44
const NOT_SEEKABLE = 70
const CHARACTER_DEVICE = 2
const DIRECTORY = 3
const REGULAR_FILE = 4

/** Ends the command from inside `proc_exit`, which must not return. */
class ExitSignal extends Error {
  readonly code: number
  constructor(code: number) {
    super('The command has ended')
    this.code = code
  }
}

/**
 * One run of a WASI preview 1 command without a file system, a clock or an environment. The command sees its arguments.
 * It can write its standard streams and one file, in memory. It cannot read anything of this machine, whatever its
 * arguments. This is the part of WASI that flite imports; `node:wasi` would give it real files and is still
 * experimental.
 *
 * The constructor instantiates the module, so a caller can do this in advance. For flite this maps and fills 17 MB of new
 * memory, most of it voices: 9 ms on a quiet machine, and 120 ms of processor time on a busy one. {@link restore} makes a
 * command new again in 2 to 5 ms.
 */
export class WasiCommand {
  readonly #instance: WasmInstance
  readonly #memory: WasmMemory
  readonly #written = new Map<number, Uint8Array<ArrayBuffer>[]>([
    [STDOUT, []],
    [STDERR, []],
    [OUTPUT, []],
  ])
  #arguments: readonly Uint8Array[] = []
  /** `ended` when `_start` has returned: the stack of the instance is empty again, as before the run. */
  #state: 'new' | 'running' | 'ended' = 'new'

  constructor(module: WasmModule) {
    this.#instance = instantiateWasm(module, { wasi_snapshot_preview1: this.#imports() })
    this.#memory = exportedMemory(this.#instance, 'memory')
  }

  /** Copies the memory as it is before a run. All instances of a module begin with the same. */
  image(): Uint8Array {
    if (this.#state !== 'new') throw new Error('This command has run already')
    return new Uint8Array(this.#memory.buffer).slice()
  }

  /**
   * Makes the command new: every byte of its memory is as before its run, so that nothing of it can reach the next run.
   * @param image Memory of a new command of the same module.
   * @returns Whether the command is new. After an early exit or a trap its stack is not empty, and after a text that
   *   needed much memory it would keep that memory: make another command.
   */
  restore(image: Uint8Array): boolean {
    const memory = this.#bytes(0, this.#memory.buffer.byteLength)
    if (this.#state !== 'ended' || memory.length > image.length + MAX_GROWTH_BYTES) return false
    memory.set(image)
    memory.fill(0, image.length)
    for (const pieces of this.#written.values()) pieces.length = 0
    this.#state = 'new'
    return true
  }

  /**
   * Runs the command to its end. Call it once, or again after {@link restore}.
   * @param args The arguments, the program's name first.
   * @throws RangeError when an argument contains NUL, which would end it early.
   * @throws WebAssembly.RuntimeError when the command traps.
   */
  run(args: readonly string[]): WasiResult {
    if (args.some((argument) => argument.includes('\0'))) throw new RangeError('An argument contains NUL')
    if (this.#state !== 'new') throw new Error('This command has run already')
    this.#state = 'running'
    const encoder = new TextEncoder()
    this.#arguments = args.map((argument) => encoder.encode(`${argument}\0`))
    const exitCode = this.#start()
    return {
      exitCode,
      stdout: Buffer.from(this.#content(STDOUT)).toString('latin1'),
      stderr: Buffer.from(this.#content(STDERR)).toString('latin1'),
      output: this.#content(OUTPUT),
    }
  }

  #start(): number {
    try {
      exportedProcedure(this.#instance, '_start')()
      this.#state = 'ended'
      return 0
    } catch (error) {
      if (error instanceof ExitSignal) return error.code
      throw error
    }
  }

  #content(descriptor: number): Uint8Array<ArrayBuffer> {
    const pieces = this.#written.get(descriptor) ?? []
    const content = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      content.set(piece, at)
      at += piece.length
    }
    return content
  }

  get #view(): DataView {
    return new DataView(this.#memory.buffer)
  }

  #bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.buffer, at, length)
  }

  #imports(): Record<string, (...values: never[]) => number> {
    return {
      args_sizes_get: (countAt: number, sizeAt: number) => {
        this.#view.setUint32(countAt, this.#arguments.length, true)
        const size = this.#arguments.reduce((total, argument) => total + argument.length, 0)
        this.#view.setUint32(sizeAt, size, true)
        return SUCCESS
      },
      args_get: (pointersAt: number, textAt: number) => this.#writeArguments(pointersAt, textAt),
      // Only flite's verbose mode shows the time. A fixed clock makes every run equal.
      clock_time_get: (_clock: number, _precision: bigint, timeAt: number) => {
        this.#view.setBigUint64(timeAt, 0n, true)
        return SUCCESS
      },
      fd_close: () => SUCCESS,
      fd_fdstat_get: (descriptor: number, statAt: number) => this.#describe(descriptor, statAt),
      fd_fdstat_set_flags: () => SUCCESS,
      fd_prestat_get: (descriptor: number, statAt: number) => {
        if (descriptor !== FOLDER) return BAD_DESCRIPTOR
        this.#view.setUint32(statAt, 0, true)
        this.#view.setUint32(statAt + 4, 1, true)
        return SUCCESS
      },
      fd_prestat_dir_name: (_descriptor: number, nameAt: number) => {
        this.#view.setUint8(nameAt, '.'.charCodeAt(0))
        return SUCCESS
      },
      fd_read: (_descriptor: number, _vectors: number, _count: number, readAt: number) => {
        this.#view.setUint32(readAt, 0, true)
        return SUCCESS
      },
      fd_seek: () => NOT_SEEKABLE,
      fd_write: (descriptor: number, vectorsAt: number, count: number, writtenAt: number) =>
        this.#write(descriptor, vectorsAt, count, writtenAt),
      path_open: (
        _folder: number,
        _lookup: number,
        pathAt: number,
        pathLength: number,
        _open: number,
        _rights: bigint,
        _inherited: bigint,
        _flags: number,
        descriptorAt: number,
      ) => this.#open(this.#bytes(pathAt, pathLength), descriptorAt),
      proc_exit: (code: number) => {
        throw new ExitSignal(code)
      },
    }
  }

  #writeArguments(pointersAt: number, textAt: number): number {
    let at = textAt
    for (const [index, argument] of this.#arguments.entries()) {
      this.#view.setUint32(pointersAt + 4 * index, at, true)
      this.#bytes(at, argument.length).set(argument)
      at += argument.length
    }
    return SUCCESS
  }

  #describe(descriptor: number, statAt: number): number {
    if (descriptor < 0 || descriptor > OUTPUT) return BAD_DESCRIPTOR
    const type = descriptor === FOLDER ? DIRECTORY : descriptor === OUTPUT ? REGULAR_FILE : CHARACTER_DEVICE
    const view = this.#view
    view.setUint8(statAt, type)
    view.setUint16(statAt + 2, 0, true)
    view.setBigUint64(statAt + 8, 0xffff_ffff_ffff_ffffn, true)
    view.setBigUint64(statAt + 16, 0xffff_ffff_ffff_ffffn, true)
    return SUCCESS
  }

  #write(descriptor: number, vectorsAt: number, count: number, writtenAt: number): number {
    const pieces = this.#written.get(descriptor)
    if (pieces === undefined) return BAD_DESCRIPTOR
    let written = 0
    for (let vectorAt = vectorsAt; vectorAt < vectorsAt + 8 * count; vectorAt += 8) {
      const length = this.#view.getUint32(vectorAt + 4, true)
      pieces.push(this.#bytes(this.#view.getUint32(vectorAt, true), length).slice())
      written += length
    }
    this.#view.setUint32(writtenAt, written, true)
    return SUCCESS
  }

  #open(path: Uint8Array, descriptorAt: number): number {
    if (Buffer.from(path).toString('latin1') !== OUTPUT_FILE) return NO_ENTRY
    this.#view.setUint32(descriptorAt, OUTPUT, true)
    return SUCCESS
  }
}
