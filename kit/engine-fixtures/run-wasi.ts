import { exportedMemory, exportedProcedure, instantiateWasm, type WasmModule } from '@svc-audio/engine-ports/driver'

/** Error numbers of WASI. */
const SUCCESS = 0
const BAD_DESCRIPTOR = 8
const NOT_SEEKABLE = 70

/** File descriptors: a folder with an empty name, and the file made in it. */
const FOLDER = 3
const OUTPUT = 4

/** File types of WASI. */
const DIRECTORY = 3
const REGULAR_FILE = 4

const succeed = (): number => SUCCESS

/** WASI functions that flite imports but does not need. */
const UNUSED = {
  clock_time_get: succeed,
  fd_close: succeed,
  fd_fdstat_set_flags: succeed,
  fd_prestat_dir_name: succeed,
  // the output is written from front to back
  fd_seek: (): number => NOT_SEEKABLE,
  proc_exit: (code: number): never => {
    throw new ExitSignal(code)
  },
}

class ExitSignal extends Error {
  readonly code: number
  constructor(code: number) {
    super(`The command ended with code ${code}`)
    this.code = code
  }
}

/** Runs a WASI command with the few WASI functions that flite needs. Returns the files that it writes. */
export function runWasi(module: WasmModule, args: readonly string[]): Uint8Array<ArrayBuffer> {
  const written: Buffer[] = []
  const memory = (): Buffer => Buffer.from(exportedMemory(instance, 'memory').buffer)
  const imports = { ...UNUSED, ...argumentImports(memory, args), ...fileImports(memory, written) }
  const instance = instantiateWasm(module, { wasi_snapshot_preview1: imports })
  try {
    exportedProcedure(instance, '_start')()
  } catch (error) {
    if (!(error instanceof ExitSignal) || error.code !== 0) throw error
  }
  return new Uint8Array(Buffer.concat(written))
}

function argumentImports(memory: () => Buffer, args: readonly string[]): object {
  const strings = args.map((argument) => Buffer.from(`${argument}\0`))
  return {
    args_sizes_get(countAt: number, sizeAt: number): number {
      memory().writeUInt32LE(strings.length, countAt)
      memory().writeUInt32LE(Buffer.concat(strings).length, sizeAt)
      return SUCCESS
    },
    args_get(pointersAt: number, textAt: number): number {
      let at = textAt
      for (const [index, string] of strings.entries()) {
        memory().writeUInt32LE(at, pointersAt + 4 * index)
        at += string.copy(memory(), at)
      }
      return SUCCESS
    },
  }
}

function fileImports(memory: () => Buffer, written: Buffer[]): object {
  return {
    fd_write(descriptor: number, vectorsAt: number, count: number, writtenAt: number): number {
      let length = 0
      for (let vector = vectorsAt; vector < vectorsAt + 8 * count; vector += 8) {
        const start = memory().readUInt32LE(vector)
        const end = start + memory().readUInt32LE(vector + 4)
        if (descriptor === OUTPUT) written.push(Buffer.from(memory().subarray(start, end)))
        length += end - start
      }
      memory().writeUInt32LE(length, writtenAt)
      return SUCCESS
    },
    fd_read(_descriptor: number, _vectors: number, _count: number, readAt: number): number {
      memory().writeUInt32LE(0, readAt)
      return SUCCESS
    },
    fd_prestat_get(descriptor: number, at: number): number {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR
      memory().fill(0, at, at + 8)
      return SUCCESS
    },
    fd_fdstat_get(descriptor: number, at: number): number {
      // all rights
      memory().fill(0xff, at, at + 24)
      memory().fill(0, at, at + 8)
      memory().writeUInt8(descriptor === FOLDER ? DIRECTORY : REGULAR_FILE, at)
      return SUCCESS
    },
    path_open(...values: number[]): number {
      memory().writeUInt32LE(OUTPUT, values[8])
      return SUCCESS
    },
  }
}
