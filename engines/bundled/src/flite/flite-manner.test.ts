import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measured } from '../../test/measured.ts'
import { PASSAGE, speechOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'
import type { SpeechEngine, VoiceManner } from '@svc-audio/engine-ports'
import { createFliteEngine } from './flite-engine.ts'
import { FLITE_VOICES } from './voices.ts'

let engine: SpeechEngine
beforeAll(async () => {
  engine = await createFliteEngine()
})
afterAll(() => engine.close())

const PLAIN: VoiceManner = { pitchHz: 130, rangeSemitones: 1.4, tempo: 1, size: 1 }
const speak = (voiceId: string, manner: Partial<VoiceManner>): Promise<Buffer> =>
  speechOf(engine, PASSAGE, { voiceId, manner: { ...PLAIN, ...manner } })

describe('measured on real speech', () => {
  const rows: [voiceId: string, manner: Partial<VoiceManner>][] = [
    ['awb', { pitchHz: 85 }],
    ['awb', { pitchHz: 85, size: 1.14 }],
    ['awb', { pitchHz: 126, rangeSemitones: 3 }],
    ['awb', { pitchHz: 170, tempo: 1.3 }],
    ['slt', { pitchHz: 150, tempo: 0.7 }],
    ['slt', { pitchHz: 210 }],
    ['slt', { pitchHz: 280, size: 0.88 }],
    ['slt', { pitchHz: 345, size: 0.8 }],
    ['kal16', { pitchHz: 110 }],
    ['kal16', { pitchHz: 180, rangeSemitones: 0.4 }],
  ]
  test.each(rows)('%s with %o has its pitch within 5 %%', async (voiceId, manner) => {
    const wanted = { ...PLAIN, ...manner }
    const traits = await measured(await speak(voiceId, manner))
    expect(Math.abs(traits.pitchHz / wanted.pitchHz - 1)).toBeLessThan(0.05)
  })

  test.each(['awb', 'slt'])('%s varies its pitch as requested', async (voiceId) => {
    for (const rangeSemitones of [0.5, 1.2, 2]) {
      const traits = await measured(await speak(voiceId, { pitchHz: 150, rangeSemitones }))
      expect(traits.rangeSemitones / rangeSemitones).toBeGreaterThan(0.75)
      expect(traits.rangeSemitones / rangeSemitones).toBeLessThan(1.35)
    }
  })

  test.each([
    ['awb', 1],
    ['slt', 0.85],
    ['slt', 1.15],
  ])('%s of size %d is faster by its tempo', async (voiceId, size) => {
    const plain = await speak(voiceId, { pitchHz: 160, size })
    for (const tempo of [0.7, 1.5]) {
      const ratio = plain.length / (await speak(voiceId, { pitchHz: 160, size, tempo })).length
      expect(ratio / tempo).toBeGreaterThan(0.95)
      expect(ratio / tempo).toBeLessThan(1.05)
    }
  })

  test('size moves the resonances, not pitch or length', async () => {
    const [small, big] = await Promise.all([speak('slt', { size: 0.85 }), speak('slt', { size: 1.15 })])
    expect(Math.abs(small.length / big.length - 1)).toBeLessThan(0.02)
    const [high, low] = [await measured(small), await measured(big)]
    expect(Math.abs(high.pitchHz / low.pitchHz - 1)).toBeLessThan(0.04)
    expect(brightness(small) / brightness(big)).toBeGreaterThan(1.15)
  })

  test('begins and ends without a click', async () => {
    const pcm = await speak('slt', { size: 0.85, tempo: 1.2 })
    expect(Math.abs(pcm.readInt16LE(0))).toBeLessThan(60)
    expect(Math.abs(pcm.readInt16LE(pcm.length - 2))).toBeLessThan(60)
  })
})

test('the documented traits equal the measured ones', async () => {
  for (const { id, traits } of FLITE_VOICES) {
    if (traits === undefined) continue
    const { pitchHz } = await measured(await speechOf(engine, PASSAGE, { voiceId: id }))
    expect(Math.abs(pitchHz / traits.pitchHz - 1)).toBeLessThan(0.04)
  }
})

test('a speed multiplies a tempo', async () => {
  const manner = { ...PLAIN, tempo: 0.8 }
  const plain = await speechOf(engine, PASSAGE, { voiceId: 'awb', manner })
  const fast = await speechOf(engine, PASSAGE, { voiceId: 'awb', manner, speed: 2 })
  expect(plain.length / fast.length).toBeGreaterThan(1.9)
  expect(plain.length / fast.length).toBeLessThan(2.1)
})

test('a voice with a fixed manner refuses a manner', async () => {
  await expect(engine.synthesize({ text: 'Hello.', voiceId: 'rms', manner: PLAIN })).rejects.toThrow(RangeError)
})

/** Mean rate of zero crossings: higher resonances cross more often. */
function brightness(pcm: Buffer): number {
  let crossings = 0
  for (let at = 2; at < pcm.length; at += 2) {
    if (Math.sign(pcm.readInt16LE(at)) !== Math.sign(pcm.readInt16LE(at - 2))) crossings += 1
  }
  return crossings / pcm.length
}
