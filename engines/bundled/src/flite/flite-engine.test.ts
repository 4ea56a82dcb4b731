import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { SpeechEngine, SynthesisRequest } from '@svc-audio/engine-ports'
import { createFliteEngine } from './flite-engine.ts'

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

const VOICES = ['rms', 'slt', 'awb', 'kal16'] as const
const SENTENCE = 'Hello there, this is a short sentence.'
const PARAGRAPHS = 'The first sentence is here. Is this the second one, Dr. Smith? Yes!\n\nA new paragraph begins.'

describe('the flite engine', () => {
  let engine: SpeechEngine
  beforeAll(async () => {
    engine = await createFliteEngine()
  })
  afterAll(async () => engine.close())

  async function chunksOf(text: string, request: Partial<SynthesisRequest> = {}): Promise<Uint8Array[]> {
    const { chunks } = await engine.synthesize({ voiceId: 'rms', ...request, text })
    return collect(chunks)
  }

  async function samplesOf(text: string, request?: Partial<SynthesisRequest>): Promise<Int16Array> {
    const pcm = Buffer.concat(await chunksOf(text, request))
    return new Int16Array(new Uint8Array(pcm).buffer)
  }

  async function secondsOf(text: string, request?: Partial<SynthesisRequest>): Promise<number> {
    return (await samplesOf(text, request)).length / 16_000
  }

  test('has four voices, rms first', () => {
    expect(engine.voices.map((voice) => voice.id)).toEqual(VOICES)
    expect(engine.voices.every((voice) => voice.name.length > 3 && voice.language === 'en')).toBe(true)
  })

  describe.each(VOICES)('the voice %s', (voiceId) => {
    test('is loud enough and as long as a person’s', async () => {
      const samples = await samplesOf(SENTENCE, { voiceId })
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
      expect(Math.sqrt(power)).toBeGreaterThan(800)
      expect(samples.length / 16_000).toBeGreaterThan(1.8)
      expect(samples.length / 16_000).toBeLessThan(3)
    })

    test('is heard within the first tenth of a second and until the end', async () => {
      const samples = await samplesOf('Stop it now.', { voiceId })
      expect(samples.subarray(0, 1600).some((sample) => Math.abs(sample) > 500)).toBe(true)
      expect(samples.subarray(-2400).some((sample) => Math.abs(sample) > 200)).toBe(true)
    })

    test('begins and ends without a click', async () => {
      const samples = await samplesOf(SENTENCE, { voiceId })
      expect(Math.abs(samples[0] ?? NaN)).toBeLessThan(10)
      expect(Math.abs(samples.at(-1) ?? NaN)).toBeLessThan(10)
    })

    test.each([0.25, 0.5, 2, 4])('speaks faster by a speed of %d', async (speed) => {
      const natural = await secondsOf(PARAGRAPHS, { voiceId })
      const ratio = natural / (await secondsOf(PARAGRAPHS, { voiceId, speed })) / speed
      // Flite speaks no part of a phone in less than 5 ms, which makes the highest speeds a little slower.
      expect(ratio).toBeGreaterThan(speed > 2 ? 0.9 : 0.97)
      expect(ratio).toBeLessThan(1.03)
    })
  })

  test('voices differ', async () => {
    const spoken = await Promise.all(VOICES.map(async (voiceId) => samplesOf(SENTENCE, { voiceId })))
    expect(new Set(spoken.map((samples) => Buffer.from(samples.buffer).toString('base64'))).size).toBe(VOICES.length)
  })

  test('the same request gives the same bytes', async () => {
    expect(await samplesOf(PARAGRAPHS)).toEqual(await samplesOf(PARAGRAPHS))
  })

  test('chunks are whole frames of at most 8,192 bytes', async () => {
    const chunks = await chunksOf(PARAGRAPHS)
    expect(chunks.length).toBeGreaterThan(20)
    expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= 8192 && chunk.length % 2 === 0)).toBe(true)
  })

  test('sentences follow each other in order with gaps', async () => {
    const [first, second, both] = await Promise.all([
      samplesOf('This is the first one.'),
      samplesOf('Here is another.'),
      samplesOf('This is the first one. Here is another.'),
    ])
    expect(both).toEqual(Int16Array.from([...first, ...new Int16Array(3200), ...second]))
  })

  test('gaps follow the speed, and paragraphs have longer gaps', async () => {
    const [fast, slow, paragraphs] = await Promise.all([
      secondsOf('One. Two.', { speed: 2 }),
      secondsOf('One. Two.', { speed: 0.5 }),
      secondsOf('One.\n\nTwo.', { speed: 0.5 }),
    ])
    const alone = async (speed: number): Promise<number> =>
      (await secondsOf('One.', { speed })) + (await secondsOf('Two.', { speed }))
    expect(fast - (await alone(2))).toBeCloseTo(0.1, 4)
    expect(slow - (await alone(0.5))).toBeCloseTo(0.4, 4)
    expect(paragraphs - (await alone(0.5))).toBeCloseTo(1, 4)
  })

  test.each([0.1, 0.55, 10])('a pause of %d s has the same frames of silence at any speed', async (seconds) => {
    const options = { speed: 1.3, pauses: true }
    const [before, after, all] = await Promise.all([
      samplesOf('Wait.', options),
      samplesOf('Now go on.', options),
      samplesOf(`Wait. [pause ${seconds.toFixed(2)}s] Now go on.`, options),
    ])
    expect(all).toEqual(Int16Array.from([...before, ...new Int16Array(seconds * 16_000), ...after]))
  })

  test('pauses alone give only silence', async () => {
    expect(await samplesOf(' [pause 0.5s][pause 1.0s] ', { pauses: true })).toEqual(new Int16Array(24_000))
  })

  test('pause markers are text unless pauses are enabled', async () => {
    const samples = await samplesOf('[pause 1.0s]')
    expect(samples.some((sample) => Math.abs(sample) > 1000)).toBe(true)
  })

  describe.each(['rms', 'kal16'])('an expected duration with %s', (voiceId) => {
    const text = `${PARAGRAPHS} [pause 0.7s] And this was the end, 42 words later.`

    test.each([0.5, 0.75, 1, 1.4, 2])('of %d times the natural length is met within 3 %', async (factor) => {
      const natural = await secondsOf(text, { voiceId, pauses: true })
      const expectedDurationSeconds = natural * factor
      const seconds = await secondsOf(text, { voiceId, pauses: true, speed: 3, expectedDurationSeconds })
      expect(Math.abs(seconds / expectedDurationSeconds - 1)).toBeLessThan(0.03)
    })

    test('leaves pauses unchanged', async () => {
      const samples = await samplesOf('Wait. [pause 2.0s] Go.', { voiceId, pauses: true, expectedDurationSeconds: 3 })
      const text16 = Buffer.from(samples.buffer).toString('latin1')
      expect(text16).toContain('\0'.repeat(64_000))
      expect(text16).not.toContain('\0'.repeat(64_400))
    })

    test('that is too long ends in silence', async () => {
      const samples = await samplesOf('Stop.', { voiceId, expectedDurationSeconds: 8 })
      expect(samples).toHaveLength(128_000)
      expect(samples.subarray(64_000).every((sample) => sample === 0)).toBe(true)
    })

    test('that is too short cuts no words', async () => {
      const seconds = await secondsOf(SENTENCE, { voiceId, expectedDurationSeconds: 0.1 })
      expect(seconds).toBeCloseTo(await secondsOf(SENTENCE, { voiceId, speed: 4 }), 2)
    })
  })

  test('an unknown voice is refused', async () => {
    await expect(engine.synthesize({ text: SENTENCE, voiceId: 'kal' })).rejects.toThrow(RangeError)
    await expect(engine.synthesize({ text: SENTENCE, voiceId: 'kal' })).rejects.toThrow('kal')
  })

  test.each([{ speed: 0.24 }, { speed: 4.01 }, { speed: NaN }, { expectedDurationSeconds: 0 }])(
    'a length of %o is refused',
    async (length) => {
      await expect(engine.synthesize({ text: SENTENCE, voiceId: 'rms', ...length })).rejects.toThrow(RangeError)
    },
  )
})

test.each([0, -1, 1.5, NaN])('an engine of %d workers is refused', async (workers) => {
  await expect(createFliteEngine({ workers })).rejects.toThrow(RangeError)
})
