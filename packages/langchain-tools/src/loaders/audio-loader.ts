import { BaseDocumentLoader } from '@langchain/core/document_loaders/base'
import { Document } from '@langchain/core/documents'
import { checkOptions, speakerTurns, type StoredTranscript, toolClient, toTranscript } from '@svc-audio/agent-tools'
import { ProtocolError, type PureAudioClient } from '@svc-audio/core'
import type { Open, TranscriptionModel } from '@svc-audio/core/interface'
import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import {
  abortSignal,
  callback,
  integer,
  list,
  oneOf,
  optional,
  type OptionRule,
  type OptionRules,
  text as someText,
} from '#options'
import { type AudioLoaderSource, checkSource, listRecordings, type Recording } from './recordings.ts'

/** Options of every audio loader. */
export interface AudioLoaderOptions {
  /** The caller closes it. */
  readonly client: PureAudioClient
  /** @default 'svc-transcribe-1.0', or 'svc-transcribe-diarize-pro' where a loader needs times or speakers */
  readonly model?: Open<TranscriptionModel>
  /** Names and terms to listen for; the multi-speaker model only. */
  readonly keyterms?: readonly string[]
  /** Aborts the loading and every request in flight. */
  readonly signal?: AbortSignal
  /** Recordings transcribed at the same time. @default 4 */
  readonly concurrency?: number
  /** Called after each recording. */
  readonly onProgress?: (progress: AudioLoaderProgress) => void
  /** Receives the error of a failed recording, which is then skipped. @default the first error ends the loading */
  readonly onError?: (error: unknown, source: string) => void
}

/** Progress of a loader. */
export interface AudioLoaderProgress {
  /** Name of the recording that has ended, as in the metadata of its documents. */
  readonly source: string
  /** Recordings done, failed ones included. */
  readonly done: number
  /** Recordings in all. */
  readonly total: number
}

/** Metadata of every document. */
export interface AudioMetadata {
  /** Name of the file within its folder, the URL, or the id. */
  readonly source: string
  /** Length of the recording, if the service reported it. */
  readonly durationSeconds?: number
}

const OPTIONS: Readonly<Record<keyof AudioLoaderOptions, OptionRule>> = {
  client: toolClient,
  model: optional(someText),
  keyterms: optional(list(someText, 'strings', 0)),
  signal: optional(abortSignal),
  concurrency: optional(integer(1)),
  onProgress: optional(callback),
  onError: optional(callback),
}

/** Transcribes recordings into documents. Each loader makes other documents of a transcript. */
export abstract class AudioLoader<Metadata extends AudioMetadata> extends BaseDocumentLoader {
  readonly #source: AudioLoaderSource
  readonly #options: AudioLoaderOptions
  readonly #model: string

  /** @throws ConfigurationError naming the option, or the source if it is empty or of another kind */
  constructor(source: AudioLoaderSource, options: AudioLoaderOptions, model: string, own: OptionRules = {}) {
    super()
    checkSource(source)
    checkOptions(options, { ...OPTIONS, ...own }, new.target.name)
    this.#source = source
    this.#options = options
    this.#model = options.model ?? model
  }

  /** All documents, in the order of the recordings. */
  async load(): Promise<Document<Metadata>[]> {
    const documents: Document<Metadata>[] = []
    for await (const document of this.lazyLoad()) documents.push(document)
    return documents
  }

  /** One document after the other. Ending the iteration early aborts the requests in flight. */
  async *lazyLoad(): AsyncGenerator<Document<Metadata>, void, undefined> {
    const { signal, concurrency = 4, onProgress, onError } = this.#options
    signal?.throwIfAborted()
    const recordings = await listRecordings(this.#source)
    let done = 0
    const work = async (recording: Recording, stop: AbortSignal): Promise<Document<Metadata>[]> => {
      try {
        return this.documents(await this.#transcribe(recording, stop), recording.source)
      } catch (error) {
        stop.throwIfAborted()
        if (onError === undefined) throw named(error, recording.source)
        onError(error, recording.source)
        return []
      } finally {
        done += 1
        onProgress?.({ source: recording.source, done, total: recordings.length })
      }
    }
    for await (const documents of inOrder(recordings, concurrency, signal, work)) yield* documents
  }

  /** The documents of one transcript. */
  protected abstract documents(transcript: StoredTranscript, source: string): Document<Metadata>[]

  async #transcribe({ input, source }: Recording, signal: AbortSignal): Promise<StoredTranscript> {
    const { client, keyterms } = this.#options
    const terms = keyterms === undefined ? {} : { keyterms }
    const result =
      'task_id' in input
        ? await client.tasks.wait(input.task_id, { signal })
        : await client.transcriptions.create({ model: this.#model, ...input, ...terms }, { signal })
    return toTranscript(result, { type: 'reference', id: source })
  }
}

/**
 * Names the recording in the message of its error: the error of one file of a folder says nothing about which. The class
 * and the fields of the error stay.
 */
function named(error: unknown, source: string): unknown {
  if (!(error instanceof Error) || error.message.includes(source)) return error
  Object.defineProperty(error, 'message', {
    value: `${source}: ${error.message}`,
    configurable: true,
    writable: true,
  })
  return error
}

/** The metadata that all loaders share. */
function audioMetadata({ durationSeconds }: StoredTranscript, source: string): AudioMetadata {
  return { source, ...(durationSeconds === undefined ? {} : { durationSeconds }) }
}

/**
 * Runs work for each item, some at the same time, and gives the results in order. Ending the iteration early, or a
 * failure, aborts the work in flight.
 */
async function* inOrder<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const controller = new AbortController()
  const both = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal])
  const running: Promise<Result>[] = []
  let next = 0
  const fill = (): void => {
    for (const item of items.slice(next, next + concurrency - running.length)) {
      next += 1
      const result = work(item, both)
      // It is awaited in its turn; until then its failure is nobody's.
      result.catch(() => {})
      running.push(result)
    }
  }
  try {
    for (fill(); running.length > 0; fill()) {
      signal?.throwIfAborted()
      const [result] = running
      if (result === undefined) return
      yield await result
      void running.shift()
    }
  } finally {
    controller.abort()
  }
}

const DIARIZING = 'svc-transcribe-diarize-pro'

/** One document for each recording: its whole transcript. */
export class AudioTranscriptLoader extends AudioLoader<AudioMetadata> {
  /** @throws ConfigurationError naming the option */
  constructor(source: AudioLoaderSource, options: AudioLoaderOptions) {
    super(source, options, 'svc-transcribe-1.0')
  }

  protected documents(transcript: StoredTranscript, source: string): Document<AudioMetadata>[] {
    return [new Document({ pageContent: transcript.text, metadata: audioMetadata(transcript, source) })]
  }
}

/** Metadata of a speaker turn. */
export interface AudioSegmentMetadata extends AudioMetadata {
  /** Of the form `S01`. */
  readonly speaker: string
  /** Seconds from the start of the recording. */
  readonly start: number
  /** Seconds from the start of the recording. */
  readonly end: number
}

/** One document for each speaker turn. A recording without segments, as short ones may be, has none. */
export class AudioTranscriptSegmentsLoader extends AudioLoader<AudioSegmentMetadata> {
  /** @throws ConfigurationError naming the option */
  constructor(source: AudioLoaderSource, options: AudioLoaderOptions) {
    super(source, options, DIARIZING)
  }

  protected documents(transcript: StoredTranscript, source: string): Document<AudioSegmentMetadata>[] {
    const shared = audioMetadata(transcript, source)
    return speakerTurns(transcript.segments ?? []).map(
      ({ text, speaker, start, end }) =>
        new Document({ pageContent: text, metadata: { ...shared, speaker, start, end } }),
    )
  }
}

/** Options of {@link AudioSubtitleLoader}. */
export interface AudioSubtitleLoaderOptions extends AudioLoaderOptions {
  /** @default 'srt' */
  readonly format?: 'srt' | 'vtt'
}

/** One document for each recording: its subtitles. */
export class AudioSubtitleLoader extends AudioLoader<AudioMetadata> {
  readonly #format: 'srt' | 'vtt'

  /** @throws ConfigurationError naming the option */
  constructor(source: AudioLoaderSource, options: AudioSubtitleLoaderOptions) {
    super(source, options, DIARIZING, { format: optional(oneOf(['srt', 'vtt'])) })
    this.#format = options.format ?? 'srt'
  }

  protected documents(transcript: StoredTranscript, source: string): Document<AudioMetadata>[] {
    const { segments, text } = transcript
    if (segments === undefined && text.trim() !== '') {
      throw new ProtocolError(
        'The transcription has no segments, so no times for subtitles: use the multi-speaker model',
      )
    }
    const subtitles = this.#format === 'srt' ? toSrt({ segments: segments ?? [] }) : toVtt({ segments: segments ?? [] })
    return [new Document({ pageContent: subtitles, metadata: audioMetadata(transcript, source) })]
  }
}
