import { expect, test } from 'vitest'

import { codecOver } from '../../../test/codec/launchers.ts'
import { collect, pieces, SPEECH_PCM, tone } from '../../../test/codec/sound.ts'
import { CodecUnavailableError } from '@svc-audio/engine-ports'
import { createCodec } from './create-codec.ts'
import { MAX_MEMORY_BYTES } from './limits.ts'

test('numbers out of range are refused', async () => {
  for (const timeoutSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3e9])
    await expect(createCodec({ timeoutSeconds })).rejects.toThrow(RangeError)
  for (const maxAudioSeconds of [0, -1, Number.NaN])
    await expect(createCodec({ maxAudioSeconds })).rejects.toThrow(RangeError)
  for (const maxProcesses of [0, 1.5, -1, Number.NaN])
    await expect(createCodec({ maxProcesses })).rejects.toThrow(RangeError)
})

test('`wasm` selects the optional package, which has every format', async () => {
  const codec = await createCodec({ ffmpegPath: 'wasm' })
  expect(codec.describe).toEqual({
    launcher: 'wasm',
    program: '@ffmpeg/core',
    version: '0.12.10',
    formats: ['mp3', 'opus', 'flac', 'aac', 'wav', 'pcm'],
    decodes: true,
    memoryBytes: MAX_MEMORY_BYTES,
  })
  await codec.close()
})

test('without ffmpeg, wav and pcm work and every other call names the remedy', async () => {
  const codec = codecOver(undefined)
  const pcm = tone(0.1)
  expect((await collect(codec.encode(pieces(pcm), { format: 'pcm', pcm: SPEECH_PCM }))).equals(pcm)).toBe(true)
  const wav = await collect(codec.encode(pieces(pcm), { format: 'wav', pcm: SPEECH_PCM }))
  expect(wav.subarray(44).equals(pcm)).toBe(true)
  for (const format of ['mp3', 'opus', 'flac', 'aac'] as const) {
    const encoded = collect(codec.encode(pieces(pcm), { format, pcm: SPEECH_PCM }))
    await expect(encoded).rejects.toThrow(CodecUnavailableError)
    await expect(encoded).rejects.toThrow(/install ffmpeg.*@ffmpeg\/core/)
  }
  await expect(collect(codec.decode(import.meta.filename))).rejects.toThrow(CodecUnavailableError)
  await codec.close()
})

test('audio that is never read cancels its producer', async () => {
  const codec = codecOver(undefined)
  let left = false
  const speaker: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error('nobody should listen')),
      return: () => {
        left = true
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  }
  await expect(collect(codec.encode(speaker, { format: 'mp3', pcm: SPEECH_PCM }))).rejects.toThrow(
    CodecUnavailableError,
  )
  expect(left).toBe(true)
})

test('PCM with an invalid format is refused', async () => {
  const codec = codecOver(undefined)
  const wrong = { ...SPEECH_PCM, sampleRate: 0 }
  await expect(collect(codec.encode(pieces(tone(0.1)), { format: 'pcm', pcm: wrong }))).rejects.toThrow('sample_rate')
})

test('a marking that is too long or no valid argument is refused', async () => {
  const codec = codecOver(undefined)
  for (const aigc of ['a\0b', `${'中'.repeat(5461)}xx`]) {
    const encoded = collect(codec.encode(pieces(tone(0.1)), { format: 'wav', pcm: SPEECH_PCM, aigc }))
    await expect(encoded).rejects.toThrow(RangeError)
  }
})
