import { encodeWav, type PcmFormat } from '@svc-audio/core/audio'
import { describe, expect, test } from 'vitest'
import { EncoderError, runEncoder } from './encoder.ts'
import { audioSeconds, extensionOf, ffmpeg, isNarrationFormat, mediaType } from './index.ts'

const PCM: PcmFormat = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

test('names of formats are the own keys of the table, in lower case', () => {
  expect(['mp3', 'wav', 'opus', 'flac', 'aac'].every(isNarrationFormat)).toBe(true)
  for (const name of ['MP3', 'pcm', 'ogg', '', 'toString', '__proto__']) expect(isNarrationFormat(name)).toBe(false)
})

describe('files', () => {
  test.each([
    ['a.mp3', 'audio/mpeg'],
    ['a.MP3', 'audio/mpeg'],
    ['a.b.opus', 'audio/ogg'],
    ['a.ogg', 'audio/ogg'],
    ['a.m4a', 'audio/mp4'],
    ['a.webm', 'audio/webm'],
    ['a.constructor', 'application/octet-stream'],
    ['a.xyz', 'application/octet-stream'],
  ])('the recording %s is %s', (recording, type) => {
    expect(mediaType(extensionOf(recording))).toBe(type)
  })

  test('the length of a recording is read in formats of narrations only', () => {
    const wav = encodeWav(PCM, [new Uint8Array(3200)])
    expect([audioSeconds('wav', wav), audioSeconds('mp3', wav), audioSeconds('m4a', wav)]).toEqual([
      0.1,
      undefined,
      undefined,
    ])
  })
})

describe('an encoder', () => {
  const wav = encodeWav(PCM, [new Uint8Array(6)])

  test('an encoder has its bytes taken as they are', async () => {
    const bytes = Uint8Array.of(1)
    expect(await runEncoder(async () => bytes, wav, 'mp3')).toBe(bytes)
    expect(await ffmpeg(wav, 'wav')).toBe(wav)
  })

  test.each<[string, () => unknown, string]>([
    ['no bytes', () => new Uint8Array(), 'it returned no mp3 audio'],
    ['nothing', () => undefined, 'it returned no mp3 audio'],
    ['text', () => 'audio', 'it returned no mp3 audio'],
    ['an error', () => Promise.reject(new Error('broken')), 'broken'],
    ['an error that is none', () => Promise.reject('broken'), 'broken'],
  ])('an encoder that gives %s fails', async (_, encode, reason) => {
    const failing = runEncoder(async () => (await encode()) as Uint8Array, wav, 'mp3')
    await expect(failing).rejects.toThrow(EncoderError)
    await expect(failing).rejects.toThrow(`The encoder failed: ${reason}`)
  })
})
