import { createHash } from 'node:crypto'

import type { PcmFormat } from '@svc-audio/core/audio'
import { WAV_HEADER_BYTES } from '@svc-audio/core/adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type AudioFormat, ENCODING_COST, type Turns } from '@svc-audio/engine-ports'
import type { FfmpegCodec } from '../../src/drivers/codec/ffmpeg-codec.ts'
import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers } from './launchers.ts'
import { collect, decodedSeconds, dominantFrequency, pieces, SPEECH_PCM, tone, TONE_HZ } from './sound.ts'

const FORMATS: readonly Exclude<AudioFormat, 'pcm'>[] = ['wav', 'mp3', 'opus', 'flac', 'aac']

/** How much a format may lengthen a sound, in seconds: the encoder's delay and its last block. */
const EXTRA_SECONDS = { wav: 0, flac: 0, opus: 0.03, mp3: 0.12, aac: 0.12 }

/** The longest blocks are those at 8 kHz. */
const EXTRA_SECONDS_AT_ANY_RATE = 0.3

let folder: ScratchFolder
beforeAll(async () => {
  folder = await ScratchFolder.create()
})
afterAll(() => folder.remove())

describe.for(await presentLaunchers())('encoding with ffmpeg (%s)', { timeout: 60_000 }, ([, launcher]) => {
  let codec: FfmpegCodec
  const pcm = tone(2)
  const encode = (format: AudioFormat): Promise<Buffer> =>
    collect(codec.encode(pieces(pcm), { format, pcm: SPEECH_PCM }))
  const files = new Map<AudioFormat, Promise<Buffer>>()
  /** The file of a format, encoded once for all tests. */
  const encoded = (format: AudioFormat): Promise<Buffer> => {
    const file = files.get(format) ?? encode(format)
    files.set(format, file)
    return file
  }

  beforeAll(() => {
    codec = codecOver(launcher)
  })
  afterAll(() => codec.close())

  test.for(FORMATS)('%s preserves length and pitch', async (format) => {
    const decoded = await collect(codec.decode(await folder.write(await encoded(format))))
    expect(decodedSeconds(decoded)).toBeGreaterThanOrEqual(1.999)
    expect(decodedSeconds(decoded)).toBeLessThanOrEqual(2.001 + EXTRA_SECONDS[format])
    expect(dominantFrequency(decoded)).toBe(TONE_HZ)
  })

  test('pcm passes unchanged', async () => {
    expect((await encode('pcm')).equals(pcm)).toBe(true)
  })

  test("each format starts with its container's signature", async () => {
    expect((await encoded('wav')).toString('latin1', 0, 4)).toBe('RIFF')
    expect((await encoded('mp3')).readUInt16BE(0) & 0xffe6).toBe(0xffe2)
    expect((await encoded('opus')).toString('latin1', 0, 36)).toMatch(/^OggS.*OpusHead$/s)
    expect((await encoded('flac')).toString('latin1', 0, 4)).toBe('fLaC')
    expect((await encoded('aac')).readUInt16BE(0)).toBe(0xfff1)
  })

  test.for(FORMATS)('the same PCM gives the same %s, in chunks of any size', async (format) => {
    const other = await collect(codec.encode(pieces(pcm, 999), { format, pcm: SPEECH_PCM }))
    expect(other.equals(await encoded(format))).toBe(true)
  })

  test('flac states its length and the checksum of its samples', async () => {
    const file = await encoded('flac')
    expect(file.readUInt32BE(22)).toBe(2 * SPEECH_PCM.sampleRate)
    expect(file.subarray(26, 42).equals(createHash('md5').update(pcm).digest())).toBe(true)
  })

  test.for(['mp3', 'opus', 'aac'] as const)('%s flows while the speaker still speaks', async (format) => {
    const heard = Promise.withResolvers<undefined>()
    async function* speech(): AsyncGenerator<Uint8Array> {
      yield pcm
      await heard.promise // without a byte by now, this would never end
      yield pcm
    }
    const reader = codec.encode(speech(), { format, pcm: SPEECH_PCM })[Symbol.asyncIterator]()
    expect((await reader.next()).done).toBe(false)
    heard.resolve(undefined)
    let bytes = 0
    for (let chunk = await reader.next(); chunk.done !== true; chunk = await reader.next())
      bytes += chunk.value.byteLength
    expect(bytes).toBeGreaterThan(0)
  })

  test.for([
    { sampleRate: 8000, channels: 1, bitDepth: 16 },
    { sampleRate: 44_100, channels: 2, bitDepth: 16 }, // stereo opus needs more stack than the wasm build comes with
  ] satisfies PcmFormat[])('PCM of $sampleRate Hz and $channels channels becomes any format', async (format) => {
    const source = tone(0.6, format)
    for (const target of FORMATS) {
      const file = await collect(codec.encode(pieces(source), { format: target, pcm: format }))
      const decoded = await collect(codec.decode(await folder.write(file)))
      expect(decodedSeconds(decoded)).toBeGreaterThanOrEqual(0.599)
      expect(decodedSeconds(decoded)).toBeLessThanOrEqual(0.6 + EXTRA_SECONDS_AT_ANY_RATE)
      expect(dominantFrequency(decoded)).toBe(TONE_HZ)
    }
  })

  test('an empty wav is only a header', async () => {
    const empty = await collect(codec.encode(pieces(new Uint8Array()), { format: 'wav', pcm: SPEECH_PCM }))
    expect(empty.byteLength).toBe(WAV_HEADER_BYTES)
  })

  test('a compressed format takes turns, by the cost of its audio', async () => {
    const costs: number[] = []
    const turns: Turns = (cost, _signal, work) => {
      costs.push(cost)
      return work({ background: false })
    }
    for (const format of ['mp3', 'flac'] as const) {
      costs.length = 0
      await collect(codec.encode(pieces(pcm), { format, pcm: SPEECH_PCM, turns }))
      const seconds = pcm.byteLength / (2 * SPEECH_PCM.sampleRate)
      expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(seconds * ENCODING_COST)
      expect(costs.length).toBeGreaterThan(1)
    }
  })

  test('an error of the speaker reaches the reader', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield pcm
      throw new Error('the voice is gone')
    }
    for (const format of FORMATS)
      await expect(collect(codec.encode(broken(), { format, pcm: SPEECH_PCM }))).rejects.toThrow('the voice is gone')
  })
})
