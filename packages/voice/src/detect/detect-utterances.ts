import type { PcmFormat } from '@svc-audio/core/audio'
import { fields, integer, optional, type OptionRules, positive } from '#options'
import { checkOptions } from '../check-options.ts'
import { Ear, FRAMES_PER_SECOND, isAsLoud } from './ear.ts'
import { hasSilero, sileroSpeech } from './silero.ts'
import { type SpeechDetection, type SpeechDetector, speechOption } from './speech-detector.ts'

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
  /**
   * What tells speech from other sounds: a detector such as `sileroSpeech()`, or `'loudness'`: sound above the room.
   * @default Silero, where `@svc-audio/silero-vad` and `@svc-audio/onnx-runtime` are installed; else loudness, and a
   *   warning of the process says so once
   */
  readonly speech?: SpeechDetection | 'loudness'
}

/** What a user says in one go: its audio while the user speaks. */
export interface DetectedUtterance extends AsyncGenerator<Uint8Array, void, undefined> {
  /** Seconds without speech at its end so far: the user may have finished. */
  readonly quietSeconds: number
  /**
   * Bytes from its beginning to the user's speech. Softer voices before it, such as those of a television, are somebody
   * else's. 0 while nothing is clearly softer.
   */
  readonly speechStart: number
  /** It had no words: its loudness does not tell the user from other people. Without this call, it does. */
  reject(): void
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
  speech: optional(speechOption),
}

/** Audio before the sound that belongs to it, in frames: soft consonants. */
const LEAD_FRAMES = 0.3 * FRAMES_PER_SECOND
/** Softer sound of at least so many frames before the user's speech is somebody else's. Nobody begins so softly for long. */
const OTHERS_FRAMES = 1.5 * FRAMES_PER_SECOND
/** Frames before the first loud one that belong to it. */
const ONSET_FRAMES = 0.5 * FRAMES_PER_SECOND

/**
 * Finds what a user says in the audio of an open microphone. An utterance begins with speech and ends with a pause: when
 * there is none, or only speech that is much softer than the utterance, as of other people. It is handed out when it
 * begins, and its pieces come while the user speaks. The microphone is read no faster than the utterances.
 * @param microphone PCM in pieces of any size.
 * @throws ConfigurationError naming the option
 */
export function detectUtterances(
  microphone: AsyncIterable<Uint8Array>,
  options: DetectUtterancesOptions,
): AsyncGenerator<DetectedUtterance, void, undefined> {
  checkOptions('detectUtterances()', options, RULES)
  return detect(microphone, options)
}

async function* detect(
  microphone: AsyncIterable<Uint8Array>,
  { format, pauseSeconds = 0.6, soundSeconds = 0.1, maxSeconds = 30, speech }: DetectUtterancesOptions,
): AsyncGenerator<DetectedUtterance, void, undefined> {
  const frames = framesOf(microphone, Math.round(format.sampleRate / FRAMES_PER_SECOND))
  const ear = new Ear(format, await openDetector(speech))
  const soundFrames = Math.max(1, Math.round(soundSeconds * FRAMES_PER_SECOND))
  const limits = {
    pause: Math.max(1, Math.round(pauseSeconds * FRAMES_PER_SECOND)),
    max: Math.max(1, Math.round(maxSeconds * FRAMES_PER_SECOND)),
  }
  const ring: HeardFrame[] = []
  let sound = 0
  try {
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      const { level, isSpeech } = await ear.push(samplesOf(next.value))
      ring.push({ audio: next.value, level })
      sound = isSpeech ? sound + 1 : 0
      if (ring.length > LEAD_FRAMES + soundFrames) ring.shift()
      if (sound < soundFrames) continue
      const utterance = new Utterance(ring.splice(0), { frames, ear, limits, bytesPerFrame: next.value.byteLength })
      yield utterance
      // What the reader left of it is not the next one.
      while ((await utterance.next()).done !== true);
      sound = 0
    }
  } finally {
    await frames.return()
  }
}

let hasWarned = false

/** @returns `undefined` where loudness decides */
async function openDetector(speech: DetectUtterancesOptions['speech']): Promise<SpeechDetector | undefined> {
  if (speech === 'loudness') return undefined
  if (speech !== undefined) return speech.open()
  if (await hasSilero()) return sileroSpeech().open()
  if (!hasWarned) {
    hasWarned = true
    globalThis.process?.emitWarning(
      "Speech is told from noise by its loudness alone. Run `npm install @svc-audio/silero-vad @svc-audio/onnx-runtime`, or set `speech: 'loudness'`.",
      { code: 'SVC_AUDIO_VOICE_LOUDNESS' },
    )
  }
  return undefined
}

/** A frame with its loudness, in dB below full scale. */
interface HeardFrame {
  readonly audio: Uint8Array
  readonly level: number
}

/** What an utterance reads. */
interface UtteranceSource {
  readonly frames: AsyncGenerator<Uint8Array, void, undefined>
  readonly ear: Ear
  readonly limits: { readonly pause: number; readonly max: number }
  readonly bytesPerFrame: number
}

class Utterance implements DetectedUtterance {
  readonly #frames: AsyncGenerator<Uint8Array, void, undefined>
  readonly #bytesPerFrame: number
  readonly #ear: Ear
  readonly #levels: number[]
  #loud: number
  #quiet = 0
  #isRejected = false
  #forget: (() => void) | undefined

  constructor(lead: readonly HeardFrame[], source: UtteranceSource) {
    this.#ear = source.ear
    this.#bytesPerFrame = source.bytesPerFrame
    this.#levels = lead.map(({ level }) => level)
    this.#loud = Math.max(...this.#levels)
    this.#ear.begin(this.#loud)
    this.#frames = this.#read(lead, source)
  }

  get quietSeconds(): number {
    return this.#quiet / FRAMES_PER_SECOND
  }

  get speechStart(): number {
    const first = this.#levels.findIndex((level) => isAsLoud(level, this.#loud))
    return first < OTHERS_FRAMES ? 0 : (first - ONSET_FRAMES) * this.#bytesPerFrame
  }

  reject(): void {
    this.#isRejected = true
    this.#forget?.()
  }

  next(): Promise<IteratorResult<Uint8Array, void>> {
    return this.#frames.next()
  }

  /** A reader may leave before its first frame, when the generator has not begun: then it ends here. */
  async return(): Promise<IteratorResult<Uint8Array, void>> {
    const result = await this.#frames.return()
    this.#end()
    return result
  }

  async throw(error: unknown): Promise<IteratorResult<Uint8Array, void>> {
    try {
      return await this.#frames.throw(error)
    } finally {
      this.#end()
    }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  /** Yields frames until the pause. */
  async *#read(
    lead: readonly HeardFrame[],
    { frames, limits: { pause, max } }: UtteranceSource,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (const { audio } of lead) yield audio
      for (let count = lead.length; this.#quiet < pause && count < max; count += 1) {
        const next = await frames.next()
        if (next.done === true) return
        const { level, isSpeech } = await this.#ear.push(samplesOf(next.value))
        this.#levels.push(level)
        this.#loud = this.#ear.loud
        this.#quiet = isSpeech ? 0 : this.#quiet + 1
        yield next.value
      }
    } finally {
      this.#end()
    }
  }

  /** The ear listens for the next utterance. */
  #end(): void {
    if (this.#forget !== undefined) return
    this.#forget = this.#ear.end()
    if (this.#isRejected) this.#forget()
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
