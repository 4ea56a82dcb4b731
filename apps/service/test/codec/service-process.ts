/**
 * A process with a codec, as the service is one. Argument `idle`: encodes a little, then has nothing more to do.
 * Argument `busy`: starts an encoding that never ends and says `ready`.
 */
import { createCodec } from '../../src/drivers/codec/index.ts'
import { collect, pieces, SPEECH_PCM, tone } from './sound.ts'

const codec = await createCodec({ ffmpegPath: 'wasm' })

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield tone(1)
    await new Promise((resolve) => void setTimeout(resolve, 20))
  }
}

if (process.argv[2] === 'idle') {
  await collect(codec.encode(pieces(tone(0.2)), { format: 'mp3', pcm: SPEECH_PCM }))
  await new Promise((resolve) => void setTimeout(resolve, 1000)) // by now the next spare has been started
  process.stdout.write('done')
} else {
  let heard = 0
  for await (const chunk of codec.encode(endless(), { format: 'mp3', pcm: SPEECH_PCM })) {
    heard += chunk.byteLength
    if (heard > 10_000) process.stdout.write('ready\n')
  }
}
