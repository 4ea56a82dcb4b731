import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fitVoice } from '../src/voice-design/fit-voice.ts'
import { fromInstruction } from '../src/voice-design/from-instruction.ts'
import type { SampleTraits, SpeechEngine, VoiceManner, VoiceParameters } from '@svc-audio/engine-ports'
import { createFliteEngine, FLITE } from '../src/flite/flite-engine.ts'
import { measured } from './measured.ts'
import { OTHER_PASSAGE, PASSAGE, speechOf } from '@svc-audio/kit/engine-fixtures/voice-samples.ts'

/** The voices that others are built on. */
const BASES = FLITE.voices.flatMap(({ id, traits }) => (traits === undefined ? [] : [{ id, traits }]))

let engine: SpeechEngine
beforeAll(async () => {
  engine = await createFliteEngine()
})
afterAll(() => engine.close())

const speakAs = ({ base, ...manner }: VoiceParameters, text: string): Promise<Buffer> =>
  speechOf(engine, text, { voiceId: base, manner })

const TEXT = `${OTHER_PASSAGE} ${PASSAGE}`

/** A voice from a sample of {@link TEXT}, and the measures of its speech of the same text. */
async function imitated(
  sample: Buffer,
): Promise<{ of: SampleTraits; parameters: VoiceParameters; now: SampleTraits; longer: number }> {
  const of = await measured(sample)
  const parameters = fitVoice(of, BASES)
  const speech = await speakAs(parameters, TEXT)
  return { of, parameters, now: await measured(speech), longer: speech.length / sample.length }
}

describe('a voice from a sample', () => {
  const manner: VoiceManner = { pitchHz: 0, rangeSemitones: 1.5, tempo: 1, size: 1 }
  const rows: [sample: string, voiceId: string, manner?: VoiceManner | undefined, speed?: number][] = [
    ['low', 'awb', { ...manner, pitchHz: 82 }],
    ['low, of a voice that nothing is built on', 'rms'],
    ['middle', 'awb'],
    ['middle, between a man and a woman', 'awb', { ...manner, pitchHz: 146 }],
    ['high', 'slt', { ...manner, pitchHz: 225 }],
    ['very high, of a child', 'slt', { ...manner, pitchHz: 320, size: 0.8 }],
    ['slow', 'slt', undefined, 0.75],
    ['fast', 'rms', undefined, 1.35],
  ]
  test.each(rows)('%s: has its pitch within 5 %% and its tempo within 20 %%', async (_sample, voiceId, how, speed) => {
    const speaking = {
      voiceId,
      ...(how === undefined ? {} : { manner: how }),
      ...(speed === undefined ? {} : { speed }),
    }
    const { of, now, longer } = await imitated(await speechOf(engine, TEXT, speaking))
    expect(Math.abs(now.pitchHz / of.pitchHz - 1)).toBeLessThan(0.05)
    expect(Math.abs(Math.log2(longer))).toBeLessThan(Math.log2(1.2))
  })

  test('a flat sample makes a flatter voice than a lively one', async () => {
    const range = async (rangeSemitones: number): Promise<number> => {
      const how = { ...manner, pitchHz: 120, rangeSemitones }
      return (await imitated(await speechOf(engine, TEXT, { voiceId: 'awb', manner: how }))).now.rangeSemitones
    }
    expect((await range(2.5)) / (await range(0.5))).toBeGreaterThan(2.5)
  })

  test('men and women get different base voices', async () => {
    const base = async (voiceId: string): Promise<string> =>
      (await imitated(await speechOf(engine, TEXT, { voiceId }))).parameters.base
    expect([await base('rms'), await base('awb'), await base('slt')]).toEqual(['awb', 'awb', 'slt'])
  })
})

describe('a voice from an instruction, measured in its speech', () => {
  const traitsOf = async (text: string): Promise<SampleTraits> =>
    measured(await speakAs(fromInstruction(text, BASES), PASSAGE))
  const secondsOf = async (text: string): Promise<number> =>
    (await speakAs(fromInstruction(text, BASES), PASSAGE)).length / 32_000

  test('slow is slower and fast is faster', async () => {
    const [slow, plain, fast] = [
      await secondsOf('a slow woman'),
      await secondsOf('a woman'),
      await secondsOf('a fast woman'),
    ]
    expect(slow / plain).toBeGreaterThan(1.25)
    expect(plain / fast).toBeGreaterThan(1.2)
  })

  test('high-pitched is higher and deep is lower', async () => {
    const [deep, plain, high] = [
      await traitsOf('a deep man'),
      await traitsOf('a man'),
      await traitsOf('a high-pitched man'),
    ]
    expect(plain.pitchHz / deep.pitchHz).toBeGreaterThan(1.2)
    expect(high.pitchHz / plain.pitchHz).toBeGreaterThan(1.2)
  })

  test('a child is higher than a woman, and a woman higher than a man', async () => {
    const [child, woman, man] = [await traitsOf('a child'), await traitsOf('a woman'), await traitsOf('a man')]
    expect(child.pitchHz).toBeGreaterThan(woman.pitchHz * 1.2)
    expect(woman.pitchHz).toBeGreaterThan(man.pitchHz * 1.4)
  })

  test('expressive varies more than monotone', async () => {
    const [lively, flat] = [await traitsOf('an expressive man'), await traitsOf('a monotone man')]
    expect(lively.rangeSemitones / flat.rangeSemitones).toBeGreaterThan(2)
  })
})
