import { makeAhead } from './make-ahead.ts'
import { FLITE_FORMAT, FRAME_BYTES, secondsToFrames, silence, splitPcm } from './pcm.ts'
import type { SpeechStep } from './speech-plan.ts'
import { fitTiming, type SpeechTiming } from './speech-timing.ts'

/** Speaks a piece of text as PCM, at a slowdown relative to speed 1. */
export type Speak = (text: string, stretch: number) => Promise<Uint8Array>

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

/**
 * Renders a plan to PCM chunks. A target length in seconds takes two passes: the first speaks everything at speed 1 to
 * measure it, the second at the rate that fits.
 * @param sampleRate Frames in a second, of one channel and 16 bits. @default that of flite
 */
export async function* renderSpeech(
  steps: readonly SpeechStep[],
  length: SpeechLength,
  speak: Speak,
  sampleRate: number = FLITE_FORMAT.sampleRate,
): AsyncGenerator<Uint8Array, undefined> {
  if ('speed' in length) yield* renderTimed(steps, { stretch: 1 / length.speed }, speak, sampleRate)
  else {
    const naturalFrames = await measure(steps, speak)
    yield* renderTimed(steps, fitTiming(steps, naturalFrames, length.expectedSeconds, sampleRate), speak, sampleRate)
  }
}

async function measure(steps: readonly SpeechStep[], speak: Speak): Promise<number[]> {
  const frames: number[] = []
  for await (const pcm of makeAhead(texts(steps), async (text) => speak(text, 1), AHEAD))
    frames.push(pcm.length / FRAME_BYTES)
  return frames
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
      const pcm = value ?? new Uint8Array(0)
      const frames = pcm.length / FRAME_BYTES
      yield* splitPcm(pcm)
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
