import type { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import type { SpokenSpan } from '../diarization/dialogue.ts'
import { frameLevels, levelOf, type Person } from './recordings.ts'

/** How a conversation sounds. */
export interface Scene {
  /** Whether the sound has the band of a telephone, 300 to 3400 Hz. */
  readonly telephone: boolean
  /** Speech above white noise, in dB. @default a quiet room */
  readonly noiseDecibels?: number
  /** Share of the turns that begin before the one before ends, by 0.3 to 1.2 s. */
  readonly overlaps: number
}

/** A conversation of people, and who speaks when. */
export interface Conversation {
  readonly samples: Int16Array<ArrayBuffer>
  readonly spans: readonly SpokenSpan[]
  readonly names: readonly string[]
}

const RATE = 16_000

/** Length of a usual turn and of a short one, such as “yes, I see”, in seconds, and the share of short ones. */
const TURN_SECONDS = [1.8, 8] as const
const SHORT_SECONDS = [0.5, 1.2] as const
const SHORT_SHARE = 0.12

/** Silence between turns, in seconds. */
const GAP_SECONDS = [0.2, 0.8] as const

/** A pause of one speaker up to this length belongs to the turn, in seconds. */
const PAUSE_SECONDS = 0.5

/** Sound this much below the loudest of a turn, in dB, is silence. */
const SPEECH_DEPTH = 35

/** Makes a conversation of one minute or more. The same numbers give the same samples. */
export function makeConversation(
  random: Random,
  people: readonly Person[],
  speakers: number,
  { telephone, noiseDecibels, overlaps }: Scene,
): Conversation {
  const cast = pickMany(
    random,
    people.filter(({ narrow }) => telephone || !narrow),
    speakers,
  )
  const readers = cast.map((person) => new Reader(random, person))
  const gains = cast.map(() => random.between(0.4, 1))
  const turns: { readonly at: number; readonly sound: Float32Array; readonly speaker: number }[] = []
  const heard = cast.map(() => 0)
  const seconds = speakers === 1 ? 45 : 40 + 12 * speakers
  let at = Math.round(random.between(...GAP_SECONDS) * RATE)
  let speaker = 0
  while (at < seconds * RATE || heard.some((count) => count < 2)) {
    const short = turns.length > speakers && random.next() < SHORT_SHARE
    const [reader, gain = 1] = [readers[speaker], gains[speaker]]
    if (reader === undefined) break
    const [shortest, longest] = short ? SHORT_SECONDS : TURN_SECONDS
    const sound = reader.read(random.between(shortest, longest))
    turns.push({ at, sound: sound.map((sample) => sample * gain), speaker })
    heard[speaker] = (heard[speaker] ?? 0) + 1
    const gap = random.next() < overlaps ? -random.between(0.3, 1.2) : random.between(...GAP_SECONDS)
    at = Math.max(at + sound.length + Math.round(gap * RATE), at + RATE / 2)
    speaker = nextSpeaker(random, speaker, heard, turns.length)
  }
  const mix = new Float32Array(Math.max(...turns.map((turn) => turn.at + turn.sound.length)) + RATE / 2)
  for (const turn of turns)
    for (const [index, sample] of turn.sound.entries()) mix[turn.at + index] = (mix[turn.at + index] ?? 0) + sample
  const sound = telephone ? telephoneBand(mix) : mix
  // A quiet room: 2 to 40 quantization steps.
  const noise = noiseDecibels === undefined ? 20 ** random.next() : levelOf(sound) * 10 ** (-noiseDecibels / 20)
  return {
    samples: Int16Array.from(sound, (sample) =>
      Math.min(Math.max(Math.round(sample + noise * normal(random)), -32_768), 32_767),
    ),
    spans: spansOf(turns),
    names: cast.map(({ name }) => name),
  }
}

function pickMany<Item>(random: Random, items: readonly Item[], count: number): Item[] {
  const left = [...items]
  return Array.from({ length: count }, () => left.splice(random.whole(0, left.length - 1), 1)).flat()
}

/** Everybody in turn first, then somebody else in four of five cases; two of five of these go to who spoke least. */
function nextSpeaker(random: Random, speaker: number, heard: readonly number[], turns: number): number {
  if (heard.length === 1 || random.next() < 0.2) return speaker
  if (turns < heard.length) return turns
  const others = [...heard.keys()].filter((other) => other !== speaker)
  const least = others.reduce((a, b) => ((heard[b] ?? 0) < (heard[a] ?? 0) ? b : a))
  return random.next() < 0.4 ? least : random.pick(others)
}

/** Reads the recordings of a person in a random order, each part once, until all have been heard. */
class Reader {
  readonly #random: Random
  readonly #person: Person
  #left: Float32Array[] = []

  constructor(random: Random, person: Person) {
    this.#random = random
    this.#person = person
  }

  /** Speech of about that length: recordings in a row with short pauses, or a part of a long one. */
  read(seconds: number): Float32Array {
    const parts: Float32Array[] = []
    let missing = Math.ceil(seconds * RATE)
    while (missing > 0.2 * seconds * RATE) {
      const clip = this.#next()
      parts.push(clip.subarray(0, missing))
      // A short rest is not worth a turn.
      if (clip.length - missing > RATE) this.#left.push(clip.subarray(missing))
      missing -= clip.length
      if (missing > 0) parts.push(new Float32Array(Math.round(this.#random.between(0.1, 0.35) * RATE)))
    }
    const turn = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      turn.set(part, at)
      at += part.length
    }
    // Cuts do not click.
    return turn.map((sample, index) => sample * Math.min(1, index / 160, (turn.length - index) / 160))
  }

  #next(): Float32Array {
    if (this.#left.length === 0) this.#left = pickMany(this.#random, this.#person.clips, this.#person.clips.length)
    return this.#left.pop() ?? new Float32Array()
  }
}

/** The speech of each turn. */
function spansOf(
  turns: readonly { readonly at: number; readonly sound: Float32Array; readonly speaker: number }[],
): SpokenSpan[] {
  const spans: { start: number; end: number; speaker: number }[] = []
  for (const { at, sound, speaker } of turns) {
    const levels = frameLevels(sound)
    const limit = Math.max(...levels) * 10 ** (-SPEECH_DEPTH / 20)
    for (const [frame, level] of levels.entries()) {
      if (level < limit) continue
      const [start, end] = [at + frame * 160, at + (frame + 1) * 160]
      const last = spans.findLast((span) => span.speaker === speaker)
      if (last !== undefined && start - last.end <= PAUSE_SECONDS * RATE) last.end = end
      else spans.push({ start, end, speaker })
    }
  }
  return spans
}

const TAPS = 129

/** The band of a telephone, by a filter of {@link TAPS} samples. */
export function telephoneBand(samples: Float32Array): Float32Array {
  const middle = (TAPS - 1) / 2
  const lowPass = (hertz: number, at: number): number =>
    at === 0 ? (2 * hertz) / RATE : Math.sin((2 * Math.PI * hertz * at) / RATE) / (Math.PI * at)
  const filter = Float64Array.from(
    { length: TAPS },
    (_, tap) =>
      (lowPass(3400, tap - middle) - lowPass(300, tap - middle)) *
      (0.54 - 0.46 * Math.cos((2 * Math.PI * tap) / (TAPS - 1))),
  )
  return Float32Array.from(samples, (_, index) => {
    let sum = 0
    for (let tap = 0; tap < TAPS; tap += 1) sum += (filter[tap] ?? 0) * (samples[index + middle - tap] ?? 0)
    return sum
  })
}

/** A number of the normal distribution. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}
