/**
 * Makes test files: runs ffmpeg's WebAssembly build with PCM on standard input. The output is a file in ffmpeg's
 * memory: most containers rewind, and a pipe cannot. Arguments: ffmpeg's, then the output's name.
 */
import { writeSync } from 'node:fs'

import { loadCore, readPipe, writePipe } from '../../src/drivers/codec/wasm-core.ts'

const { core, exec } = await loadCore()
core.setLogger(({ message }) => void writeSync(2, `${message}\n`))
core.FS.getStream(0).stream_ops = { read: (_stream, into, offset, length) => readPipe(0, into, offset, length) }
const args = process.argv.slice(2)
const status = exec(['-hide_banner', '-loglevel', 'error', ...args])
if (status !== 0) process.exit(1)
const file = core.FS.readFile(args.at(-1) ?? '')
writePipe(1, file, 0, file.byteLength)
process.exit(0)
