import type { SynthesisRequest } from '../speech-engine.ts'
import type { SpeechStep } from './plan-speech.ts'

/**
 * Speaks a piece of text as PCM, at a slowdown relative to speed 1. It resolves with the whole, or as soon as its first
 * part is there.
 */
export type Speak = (text: string, stretch: number) => Promise<Uint8Array | AsyncIterable<Uint8Array>>

/** Options of {@link renderSpeech}. */
export interface RenderOptions {
  /**
   * Returns the frames that a piece of text takes at speed 1, for an expected length.
   * @default it is spoken and counted
   */
  readonly measure?: (text: string) => Promise<number>
}

/** Pieces of speech made before they are read: enough to hide their making, and memory stays small. */
const AHEAD = 2

/** Length of the speech: by its speed, or as a whole. */
export type SpeechLength =
  | {
      /** Speaking rate, 0.25 to 4: 2 is twice as fast as the voice speaks. */
      readonly speed: number
    }
  | {
      /** Length to aim for, in seconds, pauses included. */
      readonly expectedSeconds: number
    }

/** Returns the length that a request asks for. @throws RangeError naming the value that is out of range */
export function speechLength({ speed = 1, expectedDurationSeconds }: SynthesisRequest): SpeechLength {
  if (expectedDurationSeconds === undefined) {
    if (!(speed >= 0.25 && speed <= 4)) throw new RangeError(`speed must be from 0.25 to 4, not ${speed}`)
    return { speed }
  }
  if (!(expectedDurationSeconds > 0 && Number.isFinite(expectedDurationSeconds)))
    throw new RangeError(`expectedDurationSeconds must be greater than 0, not ${expectedDurationSeconds}`)
  return { expectedSeconds: expectedDurationSeconds }
}

/**
 * Renders a plan to PCM chunks. A target length in seconds takes two passes: the first speaks everything at speed 1 to
 * measure it, the second at the rate that fits.
 * @param sampleRate Frames in a second, of one channel and 16 bits.
 */
export async function* renderSpeech(
  steps: readonly SpeechStep[],
  length: SpeechLength,
  speak: Speak,
  sampleRate: number,
  { measure = measureBy(speak) }: RenderOptions = {},
): AsyncGenerator<Uint8Array, undefined> {
  if ('speed' in length) yield* renderTimed(steps, { stretch: 1 / length.speed }, speak, sampleRate)
  else {
    const naturalFrames = await measureAll(steps, measure)
    yield* renderTimed(steps, fitTiming(steps, naturalFrames, length.expectedSeconds, sampleRate), speak, sampleRate)
  }
}

async function measureAll(
  steps: readonly SpeechStep[],
  measure: Required<RenderOptions>['measure'],
): Promise<number[]> {
  const frames: number[] = []
  for await (const count of makeAhead(texts(steps), measure, AHEAD)) frames.push(count)
  return frames
}

function measureBy(speak: Speak): Required<RenderOptions>['measure'] {
  return async (text) => {
    let bytes = 0
    for await (const part of partsOf(await speak(text, 1))) bytes += part.length
    return bytes / FRAME_BYTES
  }
}

async function* partsOf(speech: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  if (speech instanceof Uint8Array) yield speech
  else yield* speech
}

async function* renderTimed(
  steps: readonly SpeechStep[],
  { stretch, target }: SpeechTiming,
  speak: Speak,
  sampleRate: number,
): AsyncGenerator<Uint8Array, undefined> {
  const speech = makeAhead(texts(steps), async (text) => speak(text, stretch), AHEAD)
  const planned = target?.speechFrames.values()
  let written = 0
  // Frames by which speech is behind its plan. Gaps absorb them.
  let late = 0
  for (const step of steps) {
    if (step.type === 'speech') {
      const { value } = await speech.next()
      let frames = 0
      for await (const pcm of partsOf(value ?? new Uint8Array(0))) {
        yield* splitPcm(pcm)
        frames += pcm.length / FRAME_BYTES
      }
      written += frames
      late += frames - (planned?.next().value ?? frames)
    } else {
      const wanted = secondsToFrames(step.type === 'gap' ? step.seconds * stretch : step.seconds, sampleRate)
      const frames = step.type === 'gap' ? Math.max(0, wanted - late) : wanted
      yield* silence(frames)
      written += frames
      late += frames - wanted
    }
  }
  yield* silence(Math.max(0, (target?.totalFrames ?? written) - written))
}

function* texts(steps: readonly SpeechStep[]): Generator<string, undefined> {
  for (const step of steps) if (step.type === 'speech') yield step.text
}

/** Slowest and fastest intelligible speech: the range of `speed` (interface: Limits), as its inverse. */
const LONGEST_STRETCH = 4
const SHORTEST_STRETCH = 0.25

/** The timing of a plan's steps. */
interface SpeechTiming {
  /** Slowdown of speech and gaps relative to speed 1. */
  readonly stretch: number
  /**
   * Target length of the whole, and of each piece of speech in it, in frames. Without it speech takes its natural
   * length.
   */
  readonly target?: { readonly totalFrames: number; readonly speechFrames: readonly number[] }
}

/**
 * Returns the timing that brings a plan to a total length. Stretches speech and gaps alike and leaves pauses unchanged.
 * Beyond a factor of 4, silence at the end fills the rest, or the speech stays longer. Words are never cut.
 * @param naturalFrames Length of each piece of speech at speed 1.
 * @param sampleRate Frames in a second.
 */
export function fitTiming(
  steps: readonly SpeechStep[],
  naturalFrames: readonly number[],
  seconds: number,
  sampleRate: number,
): SpeechTiming {
  const natural = naturalFrames.reduce((total, frames) => total + frames, 0) / sampleRate + secondsOf(steps, 'gap')
  const wanted = (seconds - secondsOf(steps, 'pause')) / natural
  // Without speech this would divide by zero, and there is nothing to stretch.
  const stretch = natural > 0 ? Math.min(LONGEST_STRETCH, Math.max(SHORTEST_STRETCH, wanted)) : 1
  const speechFrames = naturalFrames.map((frames) => Math.round(frames * stretch))
  return { stretch, target: { totalFrames: secondsToFrames(seconds, sampleRate), speechFrames } }
}

function secondsOf(steps: readonly SpeechStep[], type: 'gap' | 'pause'): number {
  return steps.reduce((seconds, step) => (step.type === type ? seconds + step.seconds : seconds), 0)
}

/**
 * Makes items ahead of their reader, in order. Makes the first alone, which makes it ready soonest. Later ones start
 * while at most `ahead` are in flight or unread. A failure surfaces at its own item.
 */
export async function* makeAhead<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item) => Promise<Made>,
  ahead: number,
): AsyncGenerator<Made, undefined> {
  const source = items[Symbol.iterator]()
  const underWay: Promise<Made>[] = []
  const startUpTo = (count: number): void => {
    while (underWay.length < count) {
      const next = source.next()
      if (next.done === true) return
      const made = make(next.value)
      // The promise is awaited in order. After an earlier failure it never is, and its rejection must not end the
      // process.
      made.catch(() => undefined)
      underWay.push(made)
    }
  }
  startUpTo(1)
  for (let current = underWay.shift(); current !== undefined; current = underWay.shift()) {
    const made = await current
    startUpTo(ahead)
    yield made
    startUpTo(1)
  }
}

/** Bytes of a frame: one channel of 16 bits. */
const FRAME_BYTES = 2

/** Largest chunk, so that a stream flows evenly: about a quarter of a second at 16 kHz. */
const CHUNK_BYTES = 8192

/** Rounds a length in seconds to whole frames; 0 for a negative length. */
function secondsToFrames(seconds: number, sampleRate: number): number {
  return Math.max(0, Math.round(seconds * sampleRate))
}

/** Cuts PCM into chunks of at most 8,192 bytes. They share the memory of `pcm`. */
export function* splitPcm(pcm: Uint8Array): Generator<Uint8Array, undefined> {
  for (let at = 0; at < pcm.length; at += CHUNK_BYTES) yield pcm.subarray(at, at + CHUNK_BYTES)
}

/** Yields digital silence of that many frames, in chunks of at most 8,192 bytes. */
export function* silence(frames: number): Generator<Uint8Array, undefined> {
  for (let left = frames * FRAME_BYTES; left > 0; left -= CHUNK_BYTES) yield new Uint8Array(Math.min(left, CHUNK_BYTES))
}
