import type { PcmFormat } from '@svc-audio/core/audio'
import { fields, integer, type OptionRules, optional, positive } from '@svc-audio/options'
import { checkOptions } from '../check-options.ts'
import { FRAMES_PER_SECOND, levelOf, SoundGate } from './sound-gate.ts'

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
