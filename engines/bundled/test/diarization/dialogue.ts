import { Random } from '@svc-audio/kit/engine-fixtures/random.ts'
import { makeSentence } from './sentences.ts'
import { designVoices, speak, type DesignedVoice } from './voices.ts'

/** Sound of one speaker, in samples. */
export interface SpokenSpan {
  readonly start: number
  readonly end: number
  /** Index of the voice. */
  readonly speaker: number
}

/** A dialogue with known speakers and times. */
export interface Dialogue {
  readonly samples: Int16Array<ArrayBuffer>
  readonly voices: readonly DesignedVoice[]
  readonly spans: readonly SpokenSpan[]
}

const SAMPLE_RATE = 16_000

/** Silence between two lines, and before and after all, in seconds. */
const GAP_SECONDS = [0.2, 0.8] as const

/** Length of a line, in seconds. */
const LINE_SECONDS = [2, 10] as const

/**
 * Makes a dialogue. The same seed and number of speakers give the same samples. Natural gaps separate the lines. A
 * fifth of the lines go to a random earlier speaker. Speakers differ in loudness, and the room hums softly.
 * @param lines Number of lines, at least `2 * speakers`; by default up to seven more.
 */
export async function makeDialogue(seed: number, speakers: number, lines?: number): Promise<Dialogue> {
  const random = new Random(seed)
  const voices = designVoices(random, speakers)
  const gains = voices.map(() => random.between(0.4, 1))
  const pieces: Int16Array[] = [silence(random)]
  const spans: SpokenSpan[] = []
  let at = pieces[0]?.length ?? 0
  for (const speaker of lineUp(random, speakers, lines)) {
    const voice = voices[speaker]
    if (voice === undefined) continue
    const line = await makeLine(random, voice)
    pieces.push(line.samples.map((sample) => sample * (gains[speaker] ?? 1)))
    spans.push(...line.spans.map(([start, end]) => ({ start: at + start, end: at + end, speaker })))
    const gap = silence(random)
    pieces.push(gap)
    at += line.samples.length + gap.length
  }
  return { samples: withRoomNoise(random, pieces, at), voices, spans }
}

/** The speaker of each line: each speaker at least twice. */
function lineUp(random: Random, speakers: number, count = random.whole(4, 7) + 2 * speakers): number[] {
  const all = Array.from({ length: speakers }, (_, index) => index)
  for (;;) {
    const lines: number[] = [0]
    while (lines.length < count) {
      const others = all.filter((speaker) => speaker !== lines.at(-1))
      lines.push(others.length === 0 || random.next() < 0.2 ? (lines.at(-1) ?? 0) : random.pick(others))
    }
    if (all.every((speaker) => lines.filter((line) => line === speaker).length >= 2)) return lines
  }
}

async function makeLine(random: Random, voice: DesignedVoice): ReturnType<typeof speak> {
  const [low, high] = LINE_SECONDS
  for (;;) {
    const text = Array.from({ length: random.whole(1, 3) }, () => makeSentence(random)).join(' ')
    const line = await speak(voice, text)
    const seconds = line.samples.length / SAMPLE_RATE
    if (seconds >= low && seconds <= high) return line
  }
}

function silence(random: Random): Int16Array {
  return new Int16Array(Math.round(random.between(...GAP_SECONDS) * SAMPLE_RATE))
}

function withRoomNoise(random: Random, pieces: readonly Int16Array[], length: number): Int16Array<ArrayBuffer> {
  // from hardly audible to a fan: 2 to 40 quantization steps
  const level = 2 * 20 ** random.next()
  const samples = new Int16Array(length)
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return samples.map((sample) => sample + random.between(-level, level))
}
