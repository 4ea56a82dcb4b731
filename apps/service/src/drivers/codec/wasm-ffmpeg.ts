/**
 * The child process that runs ffmpeg's WebAssembly build. It reads a request (see wasm-request.ts) from standard input.
 * Then it behaves as the program `ffmpeg`: input on standard input, output on standard output, messages on standard
 * error, exit code 0 or 1.
 */
import type { FfmpegCore } from './core-types.ts'
import { loadCore } from './wasm-core.ts'
import { CANNOT_LOAD, readRequest, WASM_INPUT_PATH } from './wasm-request.ts'
import { connectPipes, readPipe, showFile, writePipe } from './wasm-streams.ts'

function readExactly(length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length)
  for (let filled = 0; filled < length;) {
    const count = readPipe(0, bytes, filled, length - filled)
    if (count === 0) return undefined
    filled += count
  }
  return bytes
}

function complain(message: string): void {
  const line = Buffer.from(`${message}\n`)
  writePipe(2, line, 0, line.byteLength)
}

function run(core: FfmpegCore): number {
  // Emscripten ends every run by aborting, and reports that.
  core.setLogger(({ message }) => message === 'Aborted()' || complain(message))
  connectPipes(core)
  const request = readRequest(readExactly)
  if (request === undefined) return 0
  try {
    if (request.inputFile !== undefined) showFile(core, request.inputFile, WASM_INPUT_PATH)
    return core.exec(...request.args) === 0 ? 0 : 1
  } catch (error) {
    complain(String(error)) // A trap: the file, or a bug in ffmpeg, broke it.
    return 1
  }
}

async function main(): Promise<number> {
  try {
    return run(await loadCore())
  } catch (error) {
    complain(`@ffmpeg/core does not load: ${String(error)}`)
    return CANNOT_LOAD
  }
}

process.exit(await main())
