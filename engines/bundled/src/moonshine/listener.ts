import {
  type Recognition,
  RECOGNITION_SAMPLE_RATE,
  type RecognizedSegment,
  type RecognizedWord,
  type SpeechDetector,
} from '@svc-audio/engine-ports'
import type { Utterance } from '@svc-audio/engine-ports/listening'
import { UtteranceCutter, type UtteranceCutterOptions } from '../speech-detector/utterances.ts'

/** What was heard in an utterance: its words, or the whole when their times are unknown. */
export type Heard = { readonly words: readonly RecognizedWord[] } | { readonly segment: RecognizedSegment }

/** The parts of a {@link Listener}. */
export interface ListenerParts extends UtteranceCutterOptions {
  readonly detector: SpeechDetector
  /** Returns the text of an utterance; empty when nothing was said. */
  readonly recognize: (samples: Int16Array) => Promise<string>
  /** Returns the times of the words of a text from the start of the samples; `undefined` when it does not find them. */
  readonly align: (samples: Int16Array, text: string) => Promise<readonly RecognizedWord[] | undefined>
  /** Called with each utterance that has words. */
  readonly onHeard: (heard: Heard) => void
}

/**
 * Recognizes one recording of any length while its samples arrive, utterance by utterance. It holds the samples of the
 * longest utterance.
 */
export class Listener {
  readonly #parts: ListenerParts
  readonly #cutter: UtteranceCutter
  readonly #texts: string[] = []
  readonly #words: RecognizedWord[] = []
  readonly #segments: RecognizedSegment[] = []
  #samples = 0

  constructor(parts: ListenerParts) {
    this.#parts = parts
    this.#cutter = new UtteranceCutter(parts.detector, parts)
  }

  /** Takes the next samples. Resolves after recognizing the utterances that they complete. Await it to bound memory. */
  async push(samples: Int16Array): Promise<void> {
    this.#samples += samples.length
    for await (const utterance of this.#cutter.push(samples)) await this.#hear(utterance)
  }

  /** Returns the text, after the last samples. */
  async end(): Promise<Recognition> {
    const last = this.#cutter.end()
    if (last !== undefined) await this.#hear(last)
    return {
      text: this.#texts.join(' '),
      words: this.#words,
      ...(this.#segments.length > 0 && { segments: this.#segments }),
      durationSeconds: this.#samples / RECOGNITION_SAMPLE_RATE,
    }
  }

  async #hear({ startSample, samples }: Utterance): Promise<void> {
    const text = await this.#parts.recognize(samples)
    if (text === '') return
    this.#texts.push(text)
    const start = startSample / RECOGNITION_SAMPLE_RATE
    const aligned = await this.#parts.align(samples, text)
    if (aligned === undefined) {
      const endSecond = toMilliseconds(start + samples.length / RECOGNITION_SAMPLE_RATE)
      const segment = { text, startSecond: toMilliseconds(start), endSecond }
      this.#segments.push(segment)
      return this.#parts.onHeard({ segment })
    }
    const words = aligned.map(({ word, startSecond, endSecond }) => ({
      word,
      startSecond: toMilliseconds(start + startSecond),
      endSecond: toMilliseconds(start + endSecond),
    }))
    this.#words.push(...words)
    this.#parts.onHeard({ words })
  }
}

/** Removes binary rounding noise: 0.30000000000000004 becomes 0.3. */
function toMilliseconds(second: number): number {
  return Math.round(second * 1000) / 1000
}
