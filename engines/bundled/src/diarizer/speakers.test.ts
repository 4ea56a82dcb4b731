import { describe, expect, test } from 'vitest'

import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { findSpeakers } from './speakers.ts'
import { TIMBRE_SIZE, type VoicePrint } from './voice-print.ts'

/** A voice: its place in the space of timbres and its pitch in Hz. */
interface Voice {
  readonly place: number
  readonly hertz: number
}

/** A print of that many seconds of speech. Chance moves short ones further. */
function print(random: Random, { place, hertz }: Voice, seconds = 2): VoicePrint {
  const chance = (): number => random.between(-0.5, 0.5) / Math.sqrt(seconds)
  return {
    seconds,
    timbre: Float64Array.from({ length: TIMBRE_SIZE }, (_, index) => (index % 4 === place ? 1.5 : 0) + chance()),
    variance: Float64Array.from({ length: TIMBRE_SIZE }, () => 1 + chance() / 5),
    logPitch: Math.log(hertz) + chance() / 10,
  }
}

/** The same without a pitch. */
function whisper(random: Random, voice: Voice): VoicePrint {
  return { ...print(random, voice), logPitch: undefined }
}

const DEEP: Voice = { place: 0, hertz: 100 }
const HIGH: Voice = { place: 1, hertz: 190 }
const THIRD: Voice = { place: 2, hertz: 130 }

describe('speakers', () => {
  test('are none without prints', () => {
    expect(findSpeakers([])).toEqual([])
  })

  test('one print is one speaker, however short', () => {
    expect(findSpeakers([print(new Random(1), DEEP)])).toEqual([0])
    expect(findSpeakers([print(new Random(1), DEEP, 0.2)])).toEqual([0])
  })

  test.each([1, 2, 3, 4])('thirty prints of one voice are one speaker (%d)', (seed) => {
    const random = new Random(seed)
    expect(new Set(findSpeakers(Array.from({ length: 30 }, () => print(random, DEEP))))).toEqual(new Set([0]))
  })

  test('are numbered in the order of their first speech', () => {
    const random = new Random(5)
    const voices = [HIGH, DEEP, HIGH, THIRD, DEEP, HIGH, THIRD]
    expect(findSpeakers(voices.map((voice) => print(random, voice)))).toEqual([0, 1, 0, 2, 1, 0, 2])
  })

  test('are distinguished by pitch alone from four semitones on, and not at one', () => {
    const random = new Random(6)
    const pair = (ratio: number): VoicePrint[] =>
      Array.from({ length: 16 }, (_, index) => print(random, { place: 0, hertz: 110 * (index % 2 === 0 ? 1 : ratio) }))
    expect(new Set(findSpeakers(pair(2 ** (4 / 12)))).size).toBe(2)
    expect(new Set(findSpeakers(pair(2 ** (1 / 12)))).size).toBe(1)
  })

  test('a single word goes to the most similar speaker and founds none', () => {
    const random = new Random(7)
    const prints = [DEEP, HIGH, DEEP, HIGH].map((voice) => print(random, voice))
    prints.push(print(random, DEEP, 0.4), print(random, HIGH, 0.4), print(random, THIRD, 0.4))
    const found = findSpeakers(prints)
    expect(found.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1])
    expect(new Set(found).size).toBe(2)
  })

  test('a voice without a pitch is recognized by its timbre', () => {
    const random = new Random(8)
    const prints = [DEEP, THIRD, DEEP, THIRD].map((voice) => print(random, voice))
    const whispers = [DEEP, THIRD].map((voice) => whisper(random, voice))
    expect(findSpeakers([...prints, ...whispers])).toEqual([0, 1, 0, 1, 0, 1])
  })

  test('prints without any pitch are clustered', () => {
    const random = new Random(9)
    const voices = [DEEP, THIRD, DEEP, THIRD].map((voice) => whisper(random, voice))
    expect(findSpeakers(voices)).toEqual([0, 1, 0, 1])
  })

  test('a speaker of one sentence in an hour is found', () => {
    const random = new Random(10)
    const prints = Array.from({ length: 1200 }, (_, index) => print(random, index === 700 ? HIGH : DEEP))
    const found = findSpeakers(prints)
    expect(found.filter((speaker) => speaker === 1)).toHaveLength(1)
    expect(found[700]).toBe(1)
  })

  test('five hours are clustered in blocks, and speakers found across blocks', () => {
    const random = new Random(11)
    const voices = Array.from({ length: 5000 }, (_, index) => [DEEP, HIGH, THIRD][Math.floor(index / 7) % 3] ?? DEEP)
    const expected = voices.map((voice) => [DEEP, HIGH, THIRD].indexOf(voice))
    expect(findSpeakers(voices.map((voice) => print(random, voice)))).toEqual(expected)
  })
})
