import { type Recognition, RECOGNITION_SAMPLE_RATE, type RecognizedWord } from '@svc-audio/engine-ports'
import {
  findSpeech,
  type Utterance,
  UtteranceSplitter,
  type UtteranceSplitterOptions,
} from '@svc-audio/engine-ports/listening'
import type { Pause } from './decoder.ts'
import type { NativeSegment } from './emscripten.ts'

/** The part of a decoder that a {@link Transcriber} uses. */
export interface UtteranceDecoder {
  /** Forgets all audio so far. */
  reset(): void
  /** Adapts to the sound of speech. */
  adapt(samples: Int16Array, pause: Pause): Promise<void>
  /** Recognizes one utterance. */
  decode(samples: Int16Array, pause: Pause): Promise<readonly NativeSegment[]>
}

/** Options of {@link Transcriber}. */
export interface TranscriberOptions extends UtteranceSplitterOptions {
  /** Called between steps of the work, every 50 ms or so. It throws to abort. */
  readonly pause: Pause
  /** Sets the spelling of an utterance's words. @default unchanged */
  readonly spell?: (words: readonly RecognizedWord[]) => RecognizedWord[]
  /** Called with the words of each utterance that has any. */
  readonly onWords?: (words: readonly RecognizedWord[]) => void
  /**
   * Speech that the decoder hears twice in order to adapt, in seconds. It forgets more than 8.
   * @default 6
   */
  readonly adaptSeconds?: number
}

/**
 * Recognizes one recording of any length while its samples arrive, utterance by utterance. Holds at most the longest
 * utterance and `adaptSeconds`.
 */
export class Transcriber {
  readonly #decoder: UtteranceDecoder
  readonly #pause: Pause
  readonly #onWords: TranscriberOptions['onWords']
  readonly #spell: TranscriberOptions['spell']
  readonly #splitter: UtteranceSplitter
  readonly #words: RecognizedWord[] = []
  #untilAdapted: number
  #waiting: Utterance[] = []
  #samples = 0

  constructor(
    decoder: UtteranceDecoder,
    { pause, onWords, spell, adaptSeconds = 6, ...splitting }: TranscriberOptions,
  ) {
    this.#decoder = decoder
    this.#pause = pause
    this.#onWords = onWords
    this.#spell = spell
    this.#splitter = new UtteranceSplitter(splitting)
    this.#untilAdapted = adaptSeconds * RECOGNITION_SAMPLE_RATE
    decoder.reset()
  }

  /** Takes the next samples. Resolves after recognizing the utterances that they complete. Await it to bound memory. */
  async push(samples: Int16Array): Promise<void> {
    this.#samples += samples.length
    for (const utterance of this.#splitter.push(samples)) await this.#hear(utterance)
  }

  /** Returns the text, after the last samples. */
  async end(): Promise<Recognition> {
    for (const utterance of this.#splitter.end()) await this.#hear(utterance)
    await this.#adapt()
    return {
      text: this.#words.map(({ word }) => word).join(' '),
      words: this.#words,
      durationSeconds: this.#samples / RECOGNITION_SAMPLE_RATE,
    }
  }

  async #hear(utterance: Utterance): Promise<void> {
    const span = findSpeech(utterance.samples)
    if (span === undefined) return
    const samples = utterance.samples.slice(span.start, span.end)
    ditherSilence(samples)
    const speech = { startSample: utterance.startSample + span.start, samples }
    if (this.#untilAdapted <= 0) return this.#decode(speech)
    this.#waiting.push(speech)
    this.#untilAdapted -= samples.length
    if (this.#untilAdapted <= 0) await this.#adapt()
  }

  async #adapt(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { samples } of waiting) await this.#decoder.adapt(samples, this.#pause)
    for (const speech of waiting) await this.#decode(speech)
  }

  async #decode({ startSample, samples }: Utterance): Promise<void> {
    const segments = await this.#decoder.decode(samples, this.#pause)
    const heard = toWords(segments, startSample / RECOGNITION_SAMPLE_RATE)
    const words = this.#spell?.(heard) ?? heard
    this.#words.push(...words)
    if (words.length > 0) this.#onWords?.(words)
  }
}

/** PocketSphinx's unit of time: 10 ms. */
const FRAMES_PER_SECOND = 100

/** Sounds other than words: `<s>`, `<sil>`, `[NOISE]`, `++BREATH++`. */
const FILLER = /^(?:<.*>|\[.*\]|\+\+.*\+\+)$/

/** The second and further pronunciations of a word in the dictionary: `the(2)`. */
const PRONUNCIATION_MARK = /\(\d+\)$/

/**
 * Returns the words of a hypothesis, without other sounds.
 * @param startSecond Start of the utterance in the whole audio.
 */
export function toWords(segments: readonly NativeSegment[], startSecond: number): RecognizedWord[] {
  return segments
    .filter(({ word }) => !FILLER.test(word))
    .map(({ word, start, end }) => ({
      word: word.replace(PRONUNCIATION_MARK, ''),
      startSecond: toMilliseconds(startSecond + start / FRAMES_PER_SECOND),
      endSecond: toMilliseconds(startSecond + (end + 1) / FRAMES_PER_SECOND),
    }))
}

/** Removes binary rounding noise: 0.30000000000000004 becomes 0.3. */
function toMilliseconds(second: number): number {
  return Math.round(second * 1000) / 1000
}

/**
 * Replaces zeros by an inaudible noise of one quantization step. The decoder takes logarithms of the power in each
 * band, and digital silence breaks them. The noise is the same at each call, so the same audio always gives the same
 * text.
 */
export function ditherSilence(samples: Int16Array): void {
  let state = 0x2545_f491
  for (let index = 0; index < samples.length; index += 1) {
    if (samples[index] !== 0) continue
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    samples[index] = (state & 1) === 0 ? -1 : 1
  }
}
