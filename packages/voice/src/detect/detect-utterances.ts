import type { PcmFormat } from '@svc-audio/core/audio'
import { fields, integer, optional, type OptionRules, positive } from '#options'
import { checkOptions } from '../check-options.ts'

/** Frames per second: one frame is 20 ms. */
export const FRAMES_PER_SECOND = 50

/** Sound this much above the room, in dB, may be speech. */
const START_HEIGHT = 14
/** Speech continues down to this height above the room: the ends of words are soft. */
const STAY_HEIGHT = 9
/** Level of a room before it is known, in dB below full scale. */
const USUAL_ROOM = -48
/** The quietest room that counts. Below it is the noise of the microphone itself. */
const QUIETEST_ROOM = -58
/** A room as loud as speech: a user must be heard over any music. */
const LOUDEST_ROOM = -26
/** Level of samples that are all zero: a muted microphone, which tells nothing about the room. */
const MUTED = -100
/** Frames in an average: a gap between sounds. */
const SMOOTHED_FRAMES = 3
/** The past that tells the room, in blocks of half a second: longer than a speaker's breath. */
const BLOCK_FRAMES = FRAMES_PER_SECOND / 2
const BLOCKS = 12

/** Tells sound from the room, by loudness. The room is the quietest moment of the last six seconds. */
class SoundGate {
  readonly #last: number[] = []
  readonly #blocks: { low: number; frames: number }[] = []
  #isOpen = false

  /** Level of the room, in dB below full scale. */
  get room(): number {
    const lowest = this.#blocks.length === 0 ? USUAL_ROOM : Math.min(...this.#blocks.map(({ low }) => low))
    return Math.min(Math.max(lowest, QUIETEST_ROOM), LOUDEST_ROOM)
  }

  /** @param level Of the next frame, in dB below full scale. @returns Whether it is sound */
  push(level: number): boolean {
    if (level <= MUTED) return (this.#isOpen = false)
    this.#isOpen = level > this.room + (this.#isOpen ? STAY_HEIGHT : START_HEIGHT)
    this.#remember(level)
    return this.#isOpen
  }

  #remember(level: number): void {
    this.#last.push(level)
    if (this.#last.length < SMOOTHED_FRAMES) return
    if (this.#last.length > SMOOTHED_FRAMES) this.#last.shift()
    const smoothed = this.#last.reduce((sum, value) => sum + value, 0) / SMOOTHED_FRAMES
    const block = this.#blocks.at(-1)
    if (block !== undefined && block.frames < BLOCK_FRAMES) {
      block.low = Math.min(block.low, smoothed)
      block.frames += 1
      return
    }
    this.#blocks.push({ low: smoothed, frames: 1 })
    if (this.#blocks.length > BLOCKS) this.#blocks.shift()
  }
}

/** Loudness of 16-bit samples, in dB below full scale. Zeros are -100. */
function levelOf(samples: Int16Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  const power = sum / Math.max(samples.length, 1) / 0x80_00 ** 2
  return power < 1e-10 ? MUTED : 10 * Math.log10(power)
}

/** Options of {@link detectUtterances}. */
export interface DetectUtterancesOptions {
  /** Format of the microphone: 16-bit mono. */
  readonly format: PcmFormat
  /**
   * Seconds of silence that end an utterance. Less answers sooner, and cuts users who think.
   * @default 0.6
   */
  readonly pauseSeconds?: number
  /** Seconds of sound that begin an utterance. A click is shorter. @default 0.1 */
  readonly soundSeconds?: number
  /** Longest utterance, in seconds. A longer one continues as the next. @default 30 */
  readonly maxSeconds?: number
}

const RULES: OptionRules = {
  format: fields({
    sampleRate: integer(8000, 'hertz'),
    channels: (value) => (value === 1 ? undefined : 'must be 1'),
    bitDepth: (value) => (value === 16 ? undefined : 'must be 16'),
  }),
  pauseSeconds: optional(positive('seconds')),
  soundSeconds: optional(positive('seconds')),
  maxSeconds: optional(positive('seconds')),
}

/** Audio before the sound that belongs to it, in frames: soft consonants. */
const LEAD_FRAMES = 0.3 * FRAMES_PER_SECOND

/**
 * Finds what a user says in the audio of an open microphone. An utterance begins with sound and ends with a pause. It is
 * handed out when it begins, and its pieces come while the user speaks. The microphone is read no faster than the
 * utterances.
 * @param microphone PCM in pieces of any size.
 * @throws ConfigurationError naming the option
 */
export function detectUtterances(
  microphone: AsyncIterable<Uint8Array>,
  options: DetectUtterancesOptions,
): AsyncGenerator<AsyncGenerator<Uint8Array, void, undefined>, void, undefined> {
  checkOptions('detectUtterances()', options, RULES)
  return detect(microphone, options)
}

async function* detect(
  microphone: AsyncIterable<Uint8Array>,
  { format, pauseSeconds = 0.6, soundSeconds = 0.1, maxSeconds = 30 }: DetectUtterancesOptions,
): AsyncGenerator<AsyncGenerator<Uint8Array, void, undefined>, void, undefined> {
  const frames = framesOf(microphone, Math.round(format.sampleRate / FRAMES_PER_SECOND))
  const gate = new SoundGate()
  const soundFrames = Math.max(1, Math.round(soundSeconds * FRAMES_PER_SECOND))
  const limits = {
    pause: Math.max(1, Math.round(pauseSeconds * FRAMES_PER_SECOND)),
    max: Math.max(1, Math.round(maxSeconds * FRAMES_PER_SECOND)),
  }
  const ring: Uint8Array[] = []
  let sound = 0
  try {
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      ring.push(next.value)
      sound = gate.push(levelOf(samplesOf(next.value))) ? sound + 1 : 0
      if (ring.length > LEAD_FRAMES + soundFrames) ring.shift()
      if (sound < soundFrames) continue
      const utterance = readUtterance(ring.splice(0), frames, gate, limits)
      yield utterance
      // What the reader left of it is not the next one.
      while ((await utterance.next()).done !== true);
      sound = 0
    }
  } finally {
    await frames.return()
  }
}

/** Yields frames until the pause. */
async function* readUtterance(
  lead: readonly Uint8Array[],
  frames: AsyncGenerator<Uint8Array, void, undefined>,
  gate: SoundGate,
  { pause, max }: { readonly pause: number; readonly max: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* lead
  let quiet = 0
  for (let count = lead.length; quiet < pause && count < max; count += 1) {
    const next = await frames.next()
    if (next.done === true) return
    quiet = gate.push(levelOf(samplesOf(next.value))) ? 0 : quiet + 1
    yield next.value
  }
}

/** Cuts the pieces of the microphone into frames of so many samples. */
async function* framesOf(
  microphone: AsyncIterable<Uint8Array>,
  samples: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = samples * 2
  let frame = new Uint8Array(bytes)
  let filled = 0
  for await (const piece of microphone) {
    for (let at = 0; at < piece.byteLength;) {
      const part = piece.subarray(at, at + bytes - filled)
      frame.set(part, filled)
      filled += part.byteLength
      at += part.byteLength
      if (filled < bytes) continue
      yield frame
      frame = new Uint8Array(bytes)
      filled = 0
    }
  }
}

/** A frame is made here, so its samples are aligned. */
function samplesOf(frame: Uint8Array): Int16Array {
  return new Int16Array(frame.buffer, frame.byteOffset, frame.byteLength / 2)
}
