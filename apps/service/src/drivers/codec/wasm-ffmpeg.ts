/**
 * The child process that runs ffmpeg's WebAssembly build. It reads requests (see wasm-request.ts) from standard input.
 * ffmpeg's input follows each of them, in frames (see wasm-frames.ts). Its output goes to standard output, in frames,
 * and its messages to standard error. A failed run is an exit with code 1.
 */
import { connectPipes, loadCore, type LoadedCore, readExactly, showFile, writePipe } from './wasm-core.ts'
import { CANNOT_LOAD, END_FRAME, END_OF_MESSAGES, readRequest, WASM_INPUT_PATH } from './wasm-frames.ts'

function complain(message: string): void {
  const line = Buffer.from(`${message}\n`)
  writePipe(2, line, 0, line.byteLength)
}

/** Runs ffmpeg for each request until there is none. Ends after a failure. */
function serve({ core, exec }: LoadedCore): number {
  // Emscripten ends every run by aborting, and reports that.
  core.setLogger(({ message }) => message === 'Aborted()' || complain(message))
  for (;;) {
    const request = readRequest(readExactly)
    if (request === undefined) return 0
    const input = connectPipes(core)
    try {
      if (request.inputFile !== undefined) showFile(core, request.inputFile, WASM_INPUT_PATH)
      if (exec(request.args) !== 0) return 1
    } catch (error) {
      complain(String(error)) // A trap: the file, or a bug in ffmpeg, broke it.
      return 1
    }
    complain(END_OF_MESSAGES)
    writePipe(1, END_FRAME, 0, END_FRAME.byteLength)
    // An exit here could overtake the last frame: the service kills a process that it does not keep.
    input.drain()
  }
}

async function main(): Promise<number> {
  try {
    return serve(await loadCore())
  } catch (error) {
    complain(`@ffmpeg/core does not load: ${String(error)}`)
    return CANNOT_LOAD
  }
}

process.exit(await main())
