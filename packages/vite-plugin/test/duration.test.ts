import { expect, test } from 'vitest'
import { FORMATS, type NarrationFormat } from '../src/audio/formats.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

const INPUT = 'The train to the coast leaves at seven in the morning. [pause 1.5s] The boat leaves at nine.'
const BODY = { model: 'svc-tts-1.5-flash', input: INPUT, voice_id: 'rms' }

/** What an encoder may add at the ends, in seconds: WAV, FLAC and Opus tell, MP3 and AAC of a stream do not. */
const ADDED: Readonly<Record<NarrationFormat, number>> = { wav: 0, flac: 0, opus: 0, mp3: 0.2, aac: 0.25 }

test.each(Object.keys(FORMATS) as NarrationFormat[])('the length of real %s is that of the speech', async (format) => {
  const stream = await stage.client.speech.stream(BODY)
  let samples = 0
  for await (const pcm of stream) samples += pcm.byteLength / 2
  const spoken = samples / stream.format.sampleRate
  expect(spoken).toBeGreaterThan(4)

  const audio = await stage.client.speech.create({ ...BODY, response_format: format })
  expect(audio.contentType).toBe(FORMATS[format].type)
  const seconds = FORMATS[format].seconds(await audio.bytes()) ?? 0
  expect(seconds).toBeGreaterThanOrEqual(spoken - 0.001)
  expect(seconds).toBeLessThanOrEqual(spoken + 0.001 + ADDED[format])
})
