import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { FfmpegCodec } from '../../src/drivers/codec/ffmpeg-codec.ts'
import { SAMPLES, ScratchFolder } from './containers.ts'
import { codecOver, presentLaunchers } from './launchers.ts'
import { SPOKEN, spokenSamples } from './spoken.ts'
import { collect, decodedSeconds, dominantFrequency, TONE_HZ } from './sound.ts'

/** Padding that encoders add at both ends, in seconds. MPEG has the longest blocks. */
const TOLERANCE_SECONDS = 0.15

const launchers = await presentLaunchers()

describe('decoding', { timeout: 60_000 }, () => {
  let folder: ScratchFolder
  const codecs: [string, FfmpegCodec][] = launchers.map(([name, launcher]) => [name, codecOver(launcher)])

  beforeAll(async () => {
    folder = await ScratchFolder.create()
  })
  afterAll(async () => {
    await Promise.all(codecs.map(([, codec]) => codec.close()))
    await folder.remove()
  })

  test.for(SAMPLES)('$name decodes to 16 kHz mono PCM, under any file name', async (sample) => {
    const path = await folder.write(await sample.make(), 'misleading.txt')
    const heard: unknown[] = []
    for (const [launcher, codec] of codecs) {
      const decoded = await collect(codec.decode(path))
      const complete = Math.abs(decodedSeconds(decoded) - sample.seconds) < TOLERANCE_SECONDS
      heard.push({ launcher, complete, frequency: dominantFrequency(decoded) })
    }
    expect(heard).toEqual(codecs.map(([launcher]) => ({ launcher, complete: true, frequency: TONE_HZ })))
  })

  test.for(SPOKEN)(
    'speech in $name keeps its length, and its exact samples if the format is lossless',
    async (file) => {
      const path = await folder.write(await file.make())
      const samples = await spokenSamples()
      for (const [launcher, codec] of codecs) {
        const decoded = await collect(codec.decode(path))
        const complete = Math.abs(decodedSeconds(decoded) - decodedSeconds(samples)) < TOLERANCE_SECONDS
        expect({ launcher, complete, same: decoded.equals(samples) }).toEqual({
          launcher,
          complete: true,
          same: file.lossless,
        })
      }
    },
  )
})
