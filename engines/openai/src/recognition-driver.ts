import { createSemaphore, type Semaphore } from '@svc-audio/core'
import {
  EngineClosedError,
  EngineFailedError,
  type Recognition,
  type RecognitionDriver,
  type RecognitionEngine,
  type RecognitionFeature,
  type RecognizedSegment,
  type RecognizedWord,
  type RecognizeOptions,
  RECOGNITION_SAMPLE_RATE,
} from '@svc-audio/engine-ports'
import { cancellableSource } from '@svc-audio/engine-ports/driver'
import { PcmReader } from '@svc-audio/engine-ports/listening'
import type { RecognitionKeys } from './keys.ts'
import { formBody, readJson, untilHeard, type Upstream } from './upstream.ts'
import { KnownSpeakers } from './known-speakers.ts'
import { type PieceTranscript, readTranscript, TranscriptResponse } from './transcript.ts'
import { type Piece, PieceCutter } from './pieces.ts'

/** Bytes of a request beside the samples: the WAV header and the fields. */
const OVERHEAD_BYTES = 4096

/** The fields that ask for each kind of transcript. */
const FORMAT_FIELDS: Readonly<Record<RecognitionKeys['transcripts'], readonly (readonly [string, string])[]>> = {
  words: [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ],
  segments: [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'segment'],
  ],
  text: [['response_format', 'json']],
  speakers: [
    ['response_format', 'diarized_json'],
    ['chunking_strategy', 'auto'],
  ],
}

/** Longest piece without a limit of the entry, in seconds. Speakers are matched again after each piece. */
const PIECE_SECONDS = 60
const SPEAKERS_PIECE_SECONDS = 600

/** Bytes of the voice samples in a request, as base64: four of ten seconds. */
const VOICES_BYTES = 2_000_000

/** Longest piece of a recording, in seconds. */
function longestPiece({ transcripts, maxBytes, maxSeconds }: RecognitionKeys): number {
  const tells = transcripts === 'speakers'
  const max = maxSeconds ?? (tells ? SPEAKERS_PIECE_SECONDS : PIECE_SECONDS)
  const bytes = maxBytes - OVERHEAD_BYTES - (tells ? Math.min(VOICES_BYTES, maxBytes / 2) : 0)
  return Math.min(max, bytes / 2 / RECOGNITION_SAMPLE_RATE)
}

/** How a piece is heard. */
type HearOptions = Omit<RecognizeOptions, 'signal'> & {
  readonly signal: AbortSignal
  /** Labels speakers, if the server distinguishes them. */
  readonly speakers: KnownSpeakers | undefined
}

/** Makes the recognition driver of an entry. */
export function recognitionDriver(name: string, keys: RecognitionKeys, upstream: Upstream): RecognitionDriver {
  return {
    name,
    features: featuresOf(keys),
    create: async ({ workers }) => new UpstreamRecognition(name, keys, upstream, workers),
  }
}

/** Models that tell speakers apart refuse a prompt. */
function featuresOf({ transcripts }: RecognitionKeys): readonly RecognitionFeature[] {
  return transcripts === 'speakers' ? ['temperature'] : ['prompt', 'temperature']
}

class UpstreamRecognition implements RecognitionEngine {
  readonly name: string
  readonly features: readonly RecognitionFeature[]
  readonly #keys: RecognitionKeys
  readonly #upstream: Upstream
  readonly #closing = new AbortController()
  readonly #workers: number
  /** Requests of all recordings. */
  readonly #places: Semaphore

  constructor(name: string, keys: RecognitionKeys, upstream: Upstream, workers: number) {
    this.name = name
    this.features = featuresOf(keys)
    this.#keys = keys
    this.#upstream = upstream
    this.#workers = workers
    this.#places = createSemaphore(workers)
  }

  async recognize(pcm: AsyncIterable<Uint8Array>, options: RecognizeOptions = {}): Promise<Recognition> {
    const failed = new AbortController()
    const signals = [options.signal, this.#closing.signal, failed.signal]
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined))
    const { transcripts } = this.#keys
    const speakers = transcripts === 'speakers' ? new KnownSpeakers() : undefined
    // A piece carries the voices of the pieces before it.
    const atOnce = speakers === undefined ? this.#workers : 1
    const cutter = new PieceCutter(longestPiece(this.#keys))
    const reader = new PcmReader(cancellableSource(pcm, signal))
    const gathered = new Gathered(options)
    const inFlight: Promise<PieceTranscript>[] = []
    const send = async (piece: Piece): Promise<void> => {
      const sent = this.#hearInPlace(piece, { ...options, signal, speakers })
      sent.catch((error: unknown) => failed.abort(error))
      inFlight.push(sent)
      // Memory holds the pieces in flight. The responses keep the order of the recording.
      while (inFlight.length >= atOnce) gathered.add(await nextOf(inFlight))
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

  async #hearInPlace(piece: Piece, options: HearOptions): Promise<PieceTranscript> {
    const release = await this.#places.acquire(options.signal)
    try {
      return await untilHeard(() => this.#hearOnce(piece, options), options.signal)
    } finally {
      release()
    }
  }

  async #hearOnce(piece: Piece, options: HearOptions): Promise<PieceTranscript> {
    const { signal, speakers, language, prompt = '' } = options
    const body = await formBody(this.#fields(options), piece.samples)
    const request = { method: 'POST', path: this.#keys.path, body, signal, texts: [prompt], language } as const
    const response = await this.#upstream.send(request)
    try {
      const parsed = TranscriptResponse.safeParse(await readJson(this.name, response))
      if (!parsed.success)
        throw new EngineFailedError(`${this.name} answered JSON without a text: check recognition.path`)
      return readTranscript(parsed.data, piece, { name: this.name, speakers })
    } catch (error) {
      response.body.cancel()
      signal.throwIfAborted()
      throw this.#upstream.explain(error)
    }
  }

  #fields({ language, keyterms = [], prompt, temperature, speakers }: HearOptions): (readonly [string, string])[] {
    const { model, transcripts, keyterms: field, extra = {} } = this.#keys
    const terms = speakers !== undefined || field === 'none' ? '' : keyterms.join(', ')
    // A prompt arrives as it was written: keyterms follow it only where they share its field.
    const prompted =
      speakers !== undefined ? [] : [prompt, field === 'prompt' ? terms : ''].filter((one) => (one ?? '') !== '')
    return [
      ...Object.entries(extra),
      ['model', model],
      ...FORMAT_FIELDS[transcripts],
      ...(language === undefined ? [] : [['language', language.split(/[-_]/, 1)[0] ?? language] as const]),
      ...(prompted.length === 0 ? [] : [['prompt', prompted.join('\n')] as const]),
      ...(terms === '' || field === 'prompt' ? [] : [[field, terms] as const]),
      ...(temperature === undefined ? [] : [['temperature', String(temperature)] as const]),
      ...(speakers?.fields ?? []),
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

  add({ text, utterances, language }: PieceTranscript): void {
    if (text === '') return
    this.#texts.push(text)
    if (language !== undefined) this.#languages.set(language, (this.#languages.get(language) ?? 0) + text.length)
    for (const { words, ...segment } of utterances) {
      if (words.length > 0) {
        this.#words.push(...words)
        this.#options.onWords?.(words, segment)
        continue
      }
      this.#segments.push(segment)
      this.#options.onSegment?.(segment)
    }
  }

  /** @param durationSeconds Length of the recording */
  result(durationSeconds: number): Recognition {
    const [max] = [...this.#languages].toSorted(([, a], [, b]) => b - a)
    return {
      text: this.#texts.join(' '),
      words: this.#words,
      // A server may leave out the words of some segments.
      ...(this.#segments.length === 0 ? {} : { segments: this.#segments }),
      durationSeconds,
      ...(max === undefined ? {} : { language: max[0] }),
    }
  }
}
