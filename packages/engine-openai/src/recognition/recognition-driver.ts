import { createSemaphore, type Semaphore } from '@svc-audio/core'
import { encodeWav } from '@svc-audio/core/streaming'
import {
  EngineClosedError,
  EngineFailedError,
  EngineNotReadyError,
  type Recognition,
  type RecognitionDriver,
  type RecognitionEngine,
  type RecognizedSegment,
  type RecognizedWord,
  type RecognizeOptions,
  RECOGNITION_SAMPLE_RATE,
} from '@svc-audio/engine-ports'
import { cancellableSource } from '@svc-audio/engine-ports/driver'
import { PcmReader } from '@svc-audio/engines/parts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecognitionKeys } from '../keys.ts'
import { formBody, OPERATOR_SECONDS, readJson, RequestRefusedError, type Upstream } from '../upstream.ts'
import { type Piece, PieceCutter } from './pieces.ts'
import { type PieceTranscript, readTranscript, TranscriptAnswer } from './transcript.ts'

const FORMAT = { sampleRate: RECOGNITION_SAMPLE_RATE, channels: 1, bitDepth: 16 } as const

/** Bytes of a request beside the samples: the WAV header and the fields. */
const OVERHEAD_BYTES = 4096

/** Times that one piece is sent while the others wait for it. Pieces with an answer are not sent again. */
const ATTEMPTS = 3

/** Longest pause before a piece is sent again, in seconds. */
const LONGEST_PAUSE_SECONDS = OPERATOR_SECONDS - 1

/** Makes the recognition driver of an entry. */
export function recognitionDriver(name: string, keys: RecognitionKeys, upstream: Upstream): RecognitionDriver {
  return {
    name,
    create: async ({ workers }) => new UpstreamRecognition(name, keys, upstream, workers),
  }
}

class UpstreamRecognition implements RecognitionEngine {
  readonly name: string
  readonly #keys: RecognitionKeys
  readonly #upstream: Upstream
  readonly #closing = new AbortController()
  readonly #workers: number
  /** Requests of all recordings. */
  readonly #places: Semaphore

  constructor(name: string, keys: RecognitionKeys, upstream: Upstream, workers: number) {
    this.name = name
    this.#keys = keys
    this.#upstream = upstream
    this.#workers = workers
    this.#places = createSemaphore(workers)
  }

  async recognize(pcm: AsyncIterable<Uint8Array>, options: RecognizeOptions = {}): Promise<Recognition> {
    const failed = new AbortController()
    const signals = [options.signal, this.#closing.signal, failed.signal]
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined))
    const { maxBytes, maxSeconds } = this.#keys
    const cutter = new PieceCutter(Math.min(maxSeconds, (maxBytes - OVERHEAD_BYTES) / 2 / RECOGNITION_SAMPLE_RATE))
    const reader = new PcmReader(cancellableSource(pcm, signal))
    const gathered = new Gathered(options)
    const inFlight: Promise<PieceTranscript>[] = []
    const send = async (piece: Piece): Promise<void> => {
      const sent = this.#hearInPlace(piece, options, signal)
      sent.catch((error: unknown) => failed.abort(error))
      inFlight.push(sent)
      // Memory holds the pieces in flight. The answers keep the order of the recording.
      while (inFlight.length >= this.#workers) gathered.add(await nextOf(inFlight))
    }
    try {
      signal.throwIfAborted()
      for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
        for (const piece of cutter.push(block)) await send(piece)
      }
      for (const piece of cutter.end()) await send(piece)
      while (inFlight.length > 0) gathered.add(await nextOf(inFlight))
      return gathered.result(cutter.seconds)
    } catch (error) {
      failed.abort(error)
      // The first failure aborts the other pieces, and they reject with it.
      throw signal.aborted ? signal.reason : error
    } finally {
      reader.leave()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new EngineClosedError(this.name))
  }

  async #hearInPlace(piece: Piece, options: RecognizeOptions, signal: AbortSignal): Promise<PieceTranscript> {
    const release = await this.#places.acquire(signal)
    try {
      return await this.#hear(piece, options, signal)
    } finally {
      release()
    }
  }

  /** Sends a piece, again if its answer did not come. */
  async #hear(piece: Piece, options: RecognizeOptions, signal: AbortSignal): Promise<PieceTranscript> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#hearOnce(piece, options, signal)
      } catch (error) {
        signal.throwIfAborted()
        const pause = pauseAfter(error, attempt)
        if (pause === undefined) throw error
        await sleep(pause * 1000, undefined, { signal })
      }
    }
  }

  async #hearOnce(piece: Piece, options: RecognizeOptions, signal: AbortSignal): Promise<PieceTranscript> {
    const { samples } = piece
    const wav = encodeWav(FORMAT, [new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)])
    const body = await formBody(this.#fields(options), wav)
    const response = await this.#upstream.send({ method: 'POST', path: this.#keys.path, body, signal })
    try {
      const parsed = TranscriptAnswer.safeParse(await readJson(this.name, response))
      if (!parsed.success)
        throw new EngineFailedError(`${this.name} answered JSON without a text: check recognition.path`)
      return readTranscript(parsed.data, piece)
    } catch (error) {
      response.body.cancel()
      signal.throwIfAborted()
      throw this.#upstream.explain(error)
    }
  }

  #fields({ language, keyterms = [] }: RecognizeOptions): (readonly [string, string])[] {
    const { model, transcripts, keyterms: field, extra = {} } = this.#keys
    const times = { words: ['word', 'segment'], segments: ['segment'], text: [] }[transcripts]
    return [
      ...Object.entries(extra),
      ['model', model],
      ['response_format', transcripts === 'text' ? 'json' : 'verbose_json'],
      ...times.map((time) => ['timestamp_granularities[]', time] as const),
      ...(language === undefined ? [] : [['language', language.split(/[-_]/, 1)[0] ?? language] as const]),
      ...(keyterms.length === 0 || field === 'none' ? [] : [[field, keyterms.join(', ')] as const]),
    ]
  }
}

/** Takes the first of a queue when it is done. */
async function nextOf(inFlight: Promise<PieceTranscript>[]): Promise<PieceTranscript> {
  const [first] = inFlight
  if (first === undefined) throw new TypeError('No piece is in flight')
  const transcript = await first
  await inFlight.shift()
  return transcript
}

/** Seconds before a piece is sent again; `undefined` where a further request cannot help. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof EngineFailedError) || error instanceof RequestRefusedError) return undefined
  const told = error instanceof EngineNotReadyError ? error.retryAfterSeconds : undefined
  if (attempt >= ATTEMPTS || (told ?? 0) > LONGEST_PAUSE_SECONDS) return undefined
  return told ?? 0.25 * attempt
}

/** Joins the pieces in the order of the recording. */
class Gathered {
  readonly #options: RecognizeOptions
  readonly #texts: string[] = []
  readonly #words: RecognizedWord[] = []
  readonly #segments: RecognizedSegment[] = []
  readonly #languages = new Map<string, number>()

  constructor(options: RecognizeOptions) {
    this.#options = options
  }

  add({ text, words, segments, language }: PieceTranscript): void {
    if (text === '') return
    this.#texts.push(text)
    this.#words.push(...words)
    this.#segments.push(...segments)
    if (language !== undefined) this.#languages.set(language, (this.#languages.get(language) ?? 0) + text.length)
    if (words.length > 0) this.#options.onWords?.(words)
    for (const segment of segments) this.#options.onSegment?.(segment)
  }

  /** @param durationSeconds Length of the recording */
  result(durationSeconds: number): Recognition {
    const [most] = [...this.#languages].toSorted(([, a], [, b]) => b - a)
    const text = this.#texts.join(' ')
    const language = most === undefined ? {} : { language: most[0] }
    if (this.#segments.length === 0) return { text, words: this.#words, durationSeconds, ...language }
    // A server may leave out the words of some pieces. Times of words are then not known for all of the text.
    const segments = [...this.#segments, ...segmentsOf(this.#words)].toSorted((a, b) => a.startSecond - b.startSecond)
    return { text, words: [], segments, durationSeconds, ...language }
  }
}

function segmentsOf(words: readonly RecognizedWord[]): RecognizedSegment[] {
  return words.map(({ word, startSecond, endSecond }) => ({ text: word, startSecond, endSecond }))
}
