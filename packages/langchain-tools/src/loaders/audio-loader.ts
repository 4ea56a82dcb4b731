import { BaseDocumentLoader } from '@langchain/core/document_loaders/base'
import type { Document } from '@langchain/core/documents'
import { checkOptions, toolClient, type StoredTranscript, toTranscript } from '@svc-audio/agent-tools'
import {
  abortSignal,
  callback,
  integer,
  optional,
  text,
  list,
  type OptionRule,
  type OptionRules,
} from '@svc-audio/options'
import { type DiarizedTranscription, type PureAudioClient, type Transcription } from '@svc-audio/core'
import type { Open, TranscriptionModel } from '@svc-audio/core/interface'
import { inOrder } from './in-order.ts'
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
  model: optional(text),
  keyterms: optional(list(text, 'strings', 0)),
  signal: optional(abortSignal),
  concurrency: optional(integer(1)),
  onProgress: optional(callback),
  onError: optional(callback),
}

/** How a loader checks options that only it has. */
type OwnOptions = OptionRules

/** Transcribes recordings into documents. Each loader makes other documents of a transcript. */
export abstract class AudioLoader<Metadata extends AudioMetadata> extends BaseDocumentLoader {
  readonly #source: AudioLoaderSource
  readonly #options: AudioLoaderOptions
  readonly #model: string

  /** @throws ConfigurationError naming the option, or the source if it is empty or of another kind */
  constructor(source: AudioLoaderSource, options: AudioLoaderOptions, model: string, own: OwnOptions = {}) {
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
    const result = await this.#result(input, signal)
    return toTranscript(result, { type: 'reference', id: source })
  }

  async #result(
    input: Recording['input'],
    signal: AbortSignal,
  ): Promise<Transcription | DiarizedTranscription | object> {
    const { client, keyterms } = this.#options
    if ('task_id' in input) return client.tasks.wait(input.task_id, { signal })
    const terms = keyterms === undefined ? {} : { keyterms }
    return client.transcriptions.create({ model: this.#model, ...input, ...terms }, { signal })
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
export function audioMetadata({ durationSeconds }: StoredTranscript, source: string): AudioMetadata {
  return { source, ...(durationSeconds === undefined ? {} : { durationSeconds }) }
}
