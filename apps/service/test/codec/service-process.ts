/**
 * A process with a codec, as the service has one. Argument `idle`: encodes a little, then idles. Argument `rest`: holds
 * a spare child for two seconds, and encodes a little after it reads a line. Argument `busy`: starts an endless
 * encoding and prints `ready`.
 */
import { once } from 'node:events'
import { createCodec } from '../../src/drivers/codec/create-codec.ts'
import { findWasmFfmpeg } from '../../src/drivers/codec/wasm-launcher.ts'
import { codecOver } from './launchers.ts'
import { collect, pieces, SPEECH_PCM, tone } from './sound.ts'

const MP3 = { format: 'mp3', pcm: SPEECH_PCM } as const

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield tone(1)
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
}

async function idle(): Promise<void> {
  const codec = await createCodec({ ffmpegPath: 'wasm' })
  await collect(codec.encode(pieces(tone(0.2)), MP3))
  await new Promise((resolve) => void setTimeout(resolve, 1000)) // the encoder stays loaded
  process.stdout.write('done')
}

async function rest(): Promise<void> {
  const codec = codecOver(findWasmFfmpeg({ idleLifetime: 2000 }))
  process.stdout.write('ready')
  await once(process.stdin, 'data')
  await collect(codec.encode(pieces(tone(0.2)), MP3))
  process.stdout.write('done')
  process.stdin.destroy()
}

async function busy(): Promise<void> {
  const codec = await createCodec({ ffmpegPath: 'wasm' })
  let heard = 0
  for await (const chunk of codec.encode(endless(), MP3)) {
    heard += chunk.byteLength
    if (heard > 10_000) process.stdout.write('ready\n')
  }
}

const [, , what] = process.argv
await (what === 'idle' ? idle() : what === 'rest' ? rest() : busy())
