import {
  EngineFailedError,
  RECOGNITION_SAMPLE_RATE,
  type Recognition,
  type RecognitionDriver,
  type RecognitionEngine,
  type RecognizedSegment,
  type RecognizedWord,
  type RecognizeOptions,
} from '@svc-audio/engine-ports'
import { type Utterance, UtteranceSplitter, type UtteranceSplitterOptions } from '@svc-audio/engine-ports/listening'
import { FAMILIES } from './families.ts'
import { type ModelPool, openModel } from './model-process.ts'
import { type Heard, MAX_SECONDS } from './native-config.ts'
import type { SherpaRecognitionOptions } from './options.ts'
import { ownMarks, punctuatedWords, tokenWords } from './words.ts'
import { findSpans, joinSpans, readUtterances, surrounded } from './utterances.ts'

/** A recognizer and the memory of its processes. */
export interface SherpaRecognitionEngine extends RecognitionEngine {
  /** In bytes. */
  readonly residentBytes: number
}

/** Makes a driver of a recognizer. @param onEngine Called with each engine that it makes. */
export function sherpaRecognition(
  options: SherpaRecognitionOptions,
  onEngine?: (engine: SherpaRecognitionEngine) => void,
): RecognitionDriver {
  const { name = 'sherpa-onnx', languages } = options
  return {
    name,
    language: onlyOf(languages),
    languages,
    async create({ signal }) {
      const engine = await createSherpaRecognition({ ...options, signal })
      onEngine?.(engine)
      return engine
    },
  }
}

/**
 * Makes a recognizer. Resolves once a process has loaded its model.
 * @throws MissingFilesError; EngineFailedError when the model is broken or the package sherpa-onnx-node is missing; the
 * signal's reason when it aborts.
 */
export async function createSherpaRecognition(options: SherpaRecognitionOptions): Promise<SherpaRecognitionEngine> {
  return openModel(options, onlyOf(options.languages), (pool) => new ModelRecognition(options, pool))
}

class ModelRecognition implements SherpaRecognitionEngine {
  readonly name: string
  readonly language: string | undefined
  readonly languages: readonly string[] | undefined
  readonly #isTimed: boolean
  readonly #cuts: UtteranceSplitterOptions
  readonly #hasVad: boolean
  /** Samples of silence around an utterance. */
  readonly #silence: number
  readonly #pool: ModelPool

  constructor({ name = 'sherpa-onnx', family, languages, vad }: SherpaRecognitionOptions, pool: ModelPool) {
    this.name = name
    this.language = onlyOf(languages)
    this.languages = languages
    const { isTimed = false, maxSeconds = MAX_SECONDS, silenceSeconds = 0, pauseSeconds } = FAMILIES[family]
    this.#isTimed = isTimed
    this.#silence = Math.round(silenceSeconds * RECOGNITION_SAMPLE_RATE)
    this.#cuts = { maxSeconds: maxSeconds - 2 * silenceSeconds, ...(pauseSeconds !== undefined && { pauseSeconds }) }
    this.#hasVad = vad !== undefined
    this.#pool = pool
  }

  get residentBytes(): number {
    return this.#pool.residentBytes
  }

  async recognize(pcm: AsyncIterable<Uint8Array>, options: RecognizeOptions = {}): Promise<Recognition> {
    const { signal } = options
    const either = AbortSignal.any([this.#pool.closing, ...(signal === undefined ? [] : [signal])])
    const transcript = new Transcript(this.#isTimed, options)
    const splitter = new UtteranceSplitter(this.#cuts)
    const samples = await readUtterances(pcm, splitter, either, (utterance) =>
      this.#hear(utterance, transcript, options.language, either),
    )
    return transcript.result(samples)
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Recognizes the speech of an utterance. Without speech, the model is not asked: it would invent some. */
  async #hear({ startSample, samples }: Utterance, to: Transcript, language: string | undefined, signal: AbortSignal) {
    const spans = await findSpans(samples, this.#hasVad ? this.#pool : undefined, signal)
    for (const { start, end } of joinSpans(spans, samples.length)) {
      const work = {
        type: 'hear',
        samples: surrounded(samples.subarray(start, end), this.#silence),
        language: primary(language),
      } as const
      const reply = await this.#pool.run(work, signal)
      if (!('heard' in reply)) throw new EngineFailedError(`${this.name} gave no text`)
      to.add(reply.heard, startSample + start, startSample + end)
    }
  }
}

/** The result so far. */
class Transcript {
  readonly #isTimed: boolean
  readonly #options: RecognizeOptions
  readonly #texts: string[] = []
  readonly #words: RecognizedWord[] = []
  readonly #segments: RecognizedSegment[] = []
  #language: string | undefined

  constructor(isTimed: boolean, options: RecognizeOptions) {
    this.#isTimed = isTimed
    this.#options = options
  }

  add(heard: Heard, start: number, end: number): void {
    const text = heard.punctuated === undefined ? heard.text.trim() : ownMarks(heard.punctuated)
    if (text === '') return
    const [startSecond, endSecond] = [start / RECOGNITION_SAMPLE_RATE, end / RECOGNITION_SAMPLE_RATE]
    this.#texts.push(text)
    this.#language ??= /[a-z]{2,3}/.exec(heard.lang)?.[0]
    if (this.#isTimed) {
      const words = punctuatedWords(tokenWords(heard, startSecond, endSecond), text)
      this.#words.push(...words)
      if (words.length > 0) this.#options.onWords?.(words)
      return
    }
    const segment = { text, startSecond, endSecond }
    this.#segments.push(segment)
    this.#options.onSegment?.(segment)
  }

  /** @param samples Length of the recording. */
  result(samples: number): Recognition {
    return {
      text: this.#texts.join(' '),
      words: this.#words,
      ...(!this.#isTimed && { segments: this.#segments }),
      ...(this.#language !== undefined && { language: this.#language }),
      durationSeconds: samples / RECOGNITION_SAMPLE_RATE,
    }
  }
}

function onlyOf(languages: readonly string[] | undefined): string | undefined {
  return languages?.length === 1 ? languages[0] : undefined
}

function primary(language: string | undefined): string | undefined {
  return language?.toLowerCase().split('-')[0]
}
