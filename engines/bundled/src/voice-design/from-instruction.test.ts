import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FLITE_VOICES } from '../flite/voices.ts'
import { adjustVoice, DEGREES, fromInstruction, NEGATIONS, WORD_EFFECTS } from './from-instruction.ts'
import { type BaseVoice, MANNER_LIMITS, type VoiceParameters } from '@svc-audio/engine-ports'

const BASES: readonly BaseVoice[] = FLITE_VOICES.flatMap(({ id, traits }) =>
  traits === undefined ? [] : [{ id, traits }],
)
const voice = (text: string): VoiceParameters => fromInstruction(text, BASES)

describe('fromInstruction', () => {
  const people: [text: string, base: string][] = [
    ['A man', 'awb'],
    ['a female narrator', 'slt'],
    ['A little girl', 'slt'],
    ['the voice of a grandfather', 'awb'],
    ['a robot', 'kal16'],
    ['deep', 'awb'],
    ['slow', 'slt'],
  ]
  test.each(people)('%j is built on %s', (text, base) => {
    expect(voice(text).base).toBe(base)
  })

  const higher: [low: string, high: string][] = [
    ['a man', 'a woman'],
    ['a woman', 'a girl'],
    ['a deep woman', 'a woman'],
    ['a woman', 'a high-pitched woman'],
    ['a very deep man', 'a deep man'],
    ['a slightly high voice of a woman', 'a high voice of a woman'],
    ['an old woman', 'a young woman'],
    ['a sad man', 'a happy man'],
    ['a big man', 'a small man'],
  ]
  test.each(higher)('%j is lower than %j', (low, high) => {
    expect(voice(low).pitchHz).toBeLessThan(voice(high).pitchHz)
  })

  const faster: [slow: string, fast: string][] = [
    ['a man, slow', 'a man'],
    ['a man, very slowly', 'a man, slowly'],
    ['a woman', 'a fast woman'],
    ['an elderly woman', 'a woman'],
    ['a sad man', 'an excited man'],
  ]
  test.each(faster)('%j is slower than %j', (slow, fast) => {
    expect(voice(slow).tempo).toBeLessThan(voice(fast).tempo)
  })

  test('an expressive voice has a larger range than a monotone one', () => {
    expect(voice('an expressive man').rangeSemitones).toBeGreaterThan(voice('a man').rangeSemitones)
    expect(voice('a monotone man').rangeSemitones).toBeLessThan(voice('a man').rangeSemitones / 2)
  })

  test('a child is smaller than a woman, a giant bigger than a man', () => {
    expect(voice('a child').size).toBeLessThan(voice('a woman').size)
    expect(voice('a giant man').size).toBeGreaterThan(voice('a man').size)
  })

  test('negated words do not count', () => {
    expect(voice('a man, not slow')).toEqual(voice('a man'))
    expect(voice('a man without a very deep voice')).toEqual(voice('a man'))
    expect(voice('a man, not sad but slow')).toEqual(voice('a man, slow'))
  })

  test('a negation does not reach far', () => {
    expect(voice('A man who does not care about what they say: slow')).toEqual(voice('a man, slow'))
  })

  test('two words can be one term', () => {
    expect(voice('a low key man').pitchHz).toBeGreaterThan(voice('a low man').pitchHz)
    expect(voice('a middle-aged man').tempo).toBe(voice('a man').tempo)
    expect(voice('a man, a little bit slow').tempo).toBe(voice('a man, slightly slow').tempo)
  })

  test('unknown words, case and punctuation have no effect', () => {
    expect(voice('MAN; Slow!')).toEqual(voice('please give me a Nordic man who sounds purple and slow'))
  })

  test('without a known word, the same text always gives the same voice', () => {
    expect(voice('purple')).toEqual(voice(' Purple '))
    const texts = ['purple', 'nordic', 'radio', 'wizard', 'pirate', '年轻', 'tea', 'x']
    const voices = texts.map(voice)
    expect(new Set(voices.map((one) => JSON.stringify(one))).size).toBe(texts.length)
    expect(new Set(voices.map(({ base }) => base))).toEqual(new Set(['awb', 'slt']))
  })

  test('every text gives a voice within the limits', () => {
    const known = fc.constantFrom(...WORD_EFFECTS.keys(), ...DEGREES.keys(), ...NEGATIONS)
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(known, { maxLength: 40 }).map((all) => all.join(' ')),
    )
    fc.assert(
      fc.property(text, (instruction) => {
        const made = voice(instruction)
        expect(voice(instruction)).toEqual(made)
        for (const part of ['pitchHz', 'rangeSemitones', 'tempo', 'size'] as const) {
          const [min, max] = MANNER_LIMITS[part]
          expect(made[part]).toBeGreaterThanOrEqual(min)
          expect(made[part]).toBeLessThanOrEqual(max)
        }
      }),
    )
  })
})

test('no word is in the vocabulary twice', () => {
  expect(WORD_EFFECTS.size).toBeGreaterThan(150)
  for (const word of [...DEGREES.keys(), ...NEGATIONS]) expect(WORD_EFFECTS.has(word)).toBe(false)
})

describe('adjustVoice', () => {
  const [base] = BASES
  if (base === undefined) throw new Error('flite has no voice that can change')
  const usual = { pitchHz: base.traits.pitchHz, rangeSemitones: base.traits.rangeSemitones, tempo: 1, size: 1 }

  test('changes what the description mentions, and nothing else', () => {
    expect(adjustVoice('very slow', base)).toEqual({ ...usual, tempo: expect.any(Number) })
    expect(adjustVoice('very slow', base)?.tempo).toBeLessThan(1)
  })

  test('does not exchange the speaker', () => {
    const man = adjustVoice('a man', base)
    expect(man?.pitchHz).toBeGreaterThan(base.traits.pitchHz / 1.5)
  })

  test('knows nothing of other words', () => {
    expect(adjustVoice('qwertz', base)).toBeUndefined()
    expect(adjustVoice('', base)).toBeUndefined()
  })

  test('stays within the limits', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORD_EFFECTS.keys())), (words) => {
        const manner = adjustVoice(words.join(' '), base)
        for (const [part, [min, max]] of Object.entries(MANNER_LIMITS)) {
          const value = new Map(Object.entries(manner ?? usual)).get(part) ?? Number.NaN
          expect(value).toBeGreaterThanOrEqual(min)
          expect(value).toBeLessThanOrEqual(max)
        }
      }),
    )
  })
})
