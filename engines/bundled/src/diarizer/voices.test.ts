import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { describe, expect, test } from 'vitest'
import type { EncodedVoice } from './voice-encoder.ts'
import { findVoices, type Stretch } from './voices.ts'

const SIZE = 192

/** Samples of a window: 1.6 s. */
const STEP = 25_600

/** Samples of a part with a pitch, and from one part to the next. */
const [PART, PART_STEP] = [25_600, 12_800]

/** A voice: a direction and a pitch in Hz. */
interface Voice {
  readonly place: number
  /** Angle from the place to the next one. */
  readonly turned?: number
  readonly hertz: number
}

const ANN: Voice = { place: 0, hertz: 200 }
const BEN: Voice = { place: 1, hertz: 110 }
const EVE: Voice = { place: 2, hertz: 190 }

/** One window. Chance moves the direction as far as it does in speech: a cosine of about 0.6 within a voice. */
function windowOf(random: Random, { place, turned = 0 }: Voice, at: number, seconds = 1.6): EncodedVoice {
  const parts = new Map([
    [place, Math.cos(turned)],
    [place + 1, Math.sin(turned)],
  ])
  const voice = Float64Array.from({ length: SIZE }, (_, index) => (parts.get(index) ?? 0) + random.between(-0.1, 0.1))
  const length = Math.hypot(...voice)
  return { startSample: at, endSample: at + seconds * 16_000, voice: voice.map((number) => number / length) }
}

/** A turn of so many windows. It starts at a multiple of 10 s. */
function turn(random: Random, voice: Voice, index: number, count = 4): Stretch {
  const start = index * 160_000
  return {
    windows: Array.from({ length: count }, (_, at) => windowOf(random, voice, start + at * STEP)),
    pitches: Array.from({ length: 2 * count - 1 }, (_, at) => ({
      startSample: start + at * PART_STEP,
      endSample: start + at * PART_STEP + PART,
      logPitch: Math.log(voice.hertz) + random.between(-0.05, 0.05),
    })),
  }
}

/** One window without a pitch. */
const alone = (window: EncodedVoice): Stretch => ({ windows: [window], pitches: [] })

const speakersOf = (stretches: readonly Stretch[]): number[] => findVoices(stretches).map(({ speaker }) => speaker)

describe('voices', () => {
  test('are none without speech', () => {
    expect(findVoices([])).toEqual([])
  })

  test.each([1, 2, 3])('ten turns of one person are one (%d)', (seed) => {
    const random = new Random(seed)
    const stretches = Array.from({ length: 10 }, (_, index) => turn(random, ANN, index))
    expect(new Set(speakersOf(stretches))).toEqual(new Set([0]))
  })

  test.each([11, 12, 13, 14, 15, 16, 17, 18])(
    'of a dialogue of two short turns are two, and of one short reading one (%d)',
    (seed) => {
      const random = new Random(seed)
      expect(speakersOf([turn(random, ANN, 0, 2), turn(random, BEN, 1, 2)])).toEqual([0, 1])
      expect(new Set(speakersOf([turn(random, ANN, 0, 2), turn(random, ANN, 1, 3)]))).toEqual(new Set([0]))
    },
  )

  test.each([21, 22, 23])('of two people who sound alike are two in a minute (%d)', (seed) => {
    const random = new Random(seed)
    const cast = [ANN, { ...ANN, turned: 0.71 }]
    const turns = Array.from({ length: 12 }, (_, index) => turn(random, cast[index % 2] ?? ANN, index))
    expect(new Set(speakersOf(turns)).size).toBe(2)
  })

  test.each([31, 32, 33])('of one person who raises the voice in a part of a long speech are one (%d)', (seed) => {
    const random = new Random(seed)
    const cast = [ANN, { ...ANN, turned: 0.6 }]
    const turns = Array.from({ length: 28 }, (_, index) => turn(random, cast[index % 2] ?? ANN, index))
    expect(new Set(speakersOf(turns)).size).toBe(1)
  })

  test('are numbered in the order of their first speech', () => {
    const random = new Random(4)
    const cast = [BEN, ANN, BEN, EVE, ANN, BEN, EVE]
    expect(speakersOf(cast.map((voice, index) => turn(random, voice, index)))).toEqual([0, 1, 0, 2, 1, 0, 2])
  })

  test('of a turn are its piece, from its first sample to its last', () => {
    const [piece] = findVoices([turn(new Random(5), ANN, 3)])
    expect(piece).toEqual({ startSample: 480_000, endSample: 480_000 + 4 * STEP, speaker: 0 })
  })

  test('change within a turn without a pause, in the middle of the change', () => {
    const random = new Random(6)
    const windows = Array.from({ length: 6 }, (_, at) => windowOf(random, at < 3 ? ANN : BEN, at * STEP))
    const pieces = findVoices([{ windows, pitches: [] }, turn(random, ANN, 2), turn(random, BEN, 3)])
    expect(pieces.map(({ speaker }) => speaker)).toEqual([0, 1, 0, 1])
    expect(pieces[0]?.endSample).toBe(pieces[1]?.startSample)
    expect(pieces[0]?.endSample).toBe(3 * STEP)
  })

  test.each([
    [0.2, 1],
    [0.6, 0],
  ])('of a word after pauses of %d s: whether it goes to who speaks around it (%d)', (pause, same) => {
    const random = new Random(12)
    const [ben, ann, next] = [turn(random, BEN, 0), turn(random, ANN, 1), turn(random, ANN, 1)]
    const start = (ann.windows.at(-1)?.endSample ?? 0) + pause * 16_000
    // A little nearer to Ben’s voice than to Ann’s.
    const word = windowOf(random, { ...ANN, turned: 0.85 }, start, 0.4)
    const back = word.endSample + pause * 16_000 - (next.windows[0]?.startSample ?? 0)
    const windows = next.windows.map(({ voice, startSample, endSample }) => ({
      voice,
      startSample: startSample + back,
      endSample: endSample + back,
    }))
    const found = speakersOf([ben, ann, alone(word), { windows, pitches: [] }])
    expect(found).toEqual([0, 1, same, 1])
  })

  test('of a short call found no speaker: it goes to the most similar one', () => {
    const random = new Random(7)
    const stretches = [ANN, BEN, ANN, BEN].map((voice, index) => turn(random, voice, index))
    const calls = [ANN, BEN, EVE].map((voice, index) => alone(windowOf(random, voice, (index + 4) * 160_000, 0.4)))
    const found = speakersOf([...stretches, ...calls])
    expect(found.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1])
    expect(new Set(found).size).toBe(2)
  })

  test('that differ by five semitones alone are two, and one voice that rises and falls is one', () => {
    const random = new Random(8)
    const pair = [ANN, { ...ANN, hertz: 200 * 2 ** (5 / 12) }]
    const turns = Array.from({ length: 8 }, (_, index) => turn(random, pair[index % 2] ?? ANN, index))
    // All of one direction: only the pitch distinguishes them, and the nearest direction is a matter of chance.
    expect(new Set(speakersOf(turns)).size).toBe(2)
    const lively = Array.from({ length: 8 }, (_, index) =>
      turn(random, { ...ANN, hertz: 200 * 2 ** (random.between(-4, 4) / 12) }, index, 2),
    )
    expect(new Set(speakersOf(lively)).size).toBe(1)
  })

  test('without a pitch are told apart', () => {
    const random = new Random(9)
    const whispers = [ANN, BEN, ANN, BEN].map((voice, index) => ({
      windows: turn(random, voice, index).windows,
      pitches: [],
    }))
    expect(speakersOf(whispers)).toEqual([0, 1, 0, 1])
  })

  test('of an hour are clustered in blocks, and speakers found across blocks', () => {
    const random = new Random(10)
    const cast = Array.from({ length: 320 }, (_, index) => [ANN, BEN, EVE][Math.floor(index / 7) % 3] ?? ANN)
    const expected = cast.map((voice) => [ANN, BEN, EVE].indexOf(voice))
    expect(speakersOf(cast.map((voice, index) => turn(random, voice, index, 7)))).toEqual(expected)
  })
})
