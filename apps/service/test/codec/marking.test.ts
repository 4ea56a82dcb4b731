import { readAigc as readWavAigc } from '@svc-audio/core/adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { FfmpegCodec } from '../../src/drivers/codec/ffmpeg-codec.ts'
import type { AudioFormat } from '@svc-audio/engine-ports'
import { ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers } from './launchers.ts'
import { readAigc } from './metadata.ts'
import { collect, decodedSeconds, pieces, SPEECH_PCM, tone } from './sound.ts'

/** Every character with a special meaning in a metadata format or a command line. */
const MARKING = `${JSON.stringify({ AIGC: { Label: '1', ContentPropagator: 'a "b"; c=d, \\e #f\n$(g) é 中文 😀' } })}\n;e=\\`

/** The longest allowed marking. */
const LARGEST = `${'中'.repeat(5461)}x`

const TAGGED = ['mp3', 'opus', 'flac', 'aac'] as const

let folder: ScratchFolder
beforeAll(async () => {
  folder = await ScratchFolder.create()
})
afterAll(() => folder.remove())

describe.for(await presentLaunchers())('marking with ffmpeg (%s)', { timeout: 60_000 }, ([, launcher]) => {
  let codec: FfmpegCodec
  const pcm = tone(0.5)
  const files = new Map<string, Promise<Buffer>>()
  /** The file of a format with a marking, encoded once for all tests. */
  const encoded = (format: AudioFormat, aigc?: string): Promise<Buffer> => {
    const key = JSON.stringify([format, aigc])
    const options = { format, pcm: SPEECH_PCM, ...(aigc !== undefined && { aigc }) }
    const file = files.get(key) ?? collect(codec.encode(pieces(pcm), options))
    files.set(key, file)
    return file
  }

  beforeAll(() => {
    codec = codecOver(launcher)
  })
  afterAll(() => codec.close())

  test.for(TAGGED)('ffmpeg reads the marking of %s back, character for character', async (format) => {
    for (const marking of [MARKING, LARGEST])
      expect(await readAigc(launcher, await folder.write(await encoded(format, marking)))).toBe(marking)
  })

  test('mp3 and aac carry the marking in front, in an ID3 tag', async () => {
    for (const format of ['mp3', 'aac'] as const) {
      const file = await encoded(format, MARKING)
      expect(file.toString('latin1', 0, 3)).toBe('ID3')
      expect(file.indexOf('TXXX')).toBeGreaterThan(0)
    }
  })

  test('opus and flac carry the marking in a Vorbis comment', async () => {
    for (const format of ['opus', 'flac'] as const)
      expect((await encoded(format, LARGEST)).includes(`AIGC=${LARGEST.slice(0, 9)}`)).toBe(true)
  })

  test('a marked wav still plays and shows its marking', async () => {
    const file = await encoded('wav', MARKING)
    expect(readWavAigc(file)).toBe(MARKING)
    expect(decodedSeconds(await collect(codec.decode(await folder.write(file))))).toBe(0.5)
  })

  test('no format carries a marking without a request, and pcm never does', async () => {
    for (const format of [...TAGGED, 'wav'] as const) expect((await encoded(format)).includes('AIGC')).toBe(false)
    expect((await encoded('pcm', MARKING)).equals(pcm)).toBe(true)
  })
})
