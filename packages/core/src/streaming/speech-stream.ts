import { type FileAccess, needFiles } from '../transport/uploads.ts'
import type { StreamEvent } from './event-data.ts'
import { type PcmFormat, pcmSeconds } from './pcm-format.ts'
import { toReadableStream } from './readable-stream.ts'
import type { SpeechSource } from './speech-source.ts'
import { encodeWav, WAV_HEADER_BYTES } from './wav.ts'

/** What {@link SpeechStream.saveTo} wrote. */
export interface SavedSpeech {
  /** Size of the file, in bytes. */
  readonly bytes: number
  readonly durationSeconds: number
  /** See {@link SpeechStream.complete}. */
  readonly complete: boolean
}

/**
 * Speech while it is made: iterate it for PCM in whole frames, or take it as events, as a WAV or as a file. It can be
 * taken once. It is complete or it throws: a stream that ends without its terminal event is a `StreamTruncatedError`.
 * Leaving an iteration early ends the request.
 */
export class SpeechStream implements AsyncIterable<Uint8Array> {
  /** Layout of the PCM, as the service reported it. */
  readonly format: PcmFormat
  /** The task behind the stream, where the service named one first. */
  readonly taskId: string | undefined
  /** The answer's `x-request-id`. */
  readonly requestId: string | undefined
  readonly #source: SpeechSource
  readonly #files: FileAccess | undefined
  #taken = false

  constructor(source: SpeechSource, files?: FileAccess) {
    this.format = source.format
    this.taskId = source.taskId
    this.requestId = source.requestId
    this.#source = source
    this.#files = files
  }

  /**
   * Whether the service confirmed the end. True after an event stream was read to its end; always false for raw PCM,
   * whose end proves nothing.
   */
  get complete(): boolean {
    return this.#source.complete
  }

  /** PCM in whole frames. */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#checkFree()
    this.#taken = true
    return this.#source.pcm()
  }

  /**
   * Every event as it came, unknown types too, from the first to `speech.audio.done`. An `error` event is thrown as
   * `StreamFailedError`.
   * @throws TypeError for raw PCM, which has none
   */
  events(): AsyncGenerator<StreamEvent, void, undefined> {
    this.#checkFree()
    // First, since it throws where there are none: the PCM can still be taken then.
    const events = this.#source.events()
    this.#taken = true
    return events
  }

  /** The PCM as a web stream. */
  stream(): ReadableStream<Uint8Array> {
    return toReadableStream(this[Symbol.asyncIterator]())
  }

  /**
   * The whole speech as a WAV file with true sizes.
   * @throws RangeError if the audio exceeds the 4 GiB of a WAV file
   */
  async toWav(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this) chunks.push(chunk)
    return encodeWav(this.format, chunks)
  }

  /**
   * Writes the speech to a WAV file with true sizes, in constant memory. The file appears only once it is complete.
   * @throws ConfigurationError where this client has no access to files
   * @throws InvalidRequestError when the path cannot be written
   * @throws RangeError if the audio exceeds the 4 GiB of a WAV file
   */
  async saveTo(path: string): Promise<SavedSpeech> {
    const pcm = this[Symbol.asyncIterator]()
    try {
      const { format } = this
      const bytes = await needFiles(this.#files, 'path').saveWav(path, format, pcm)
      return {
        bytes: WAV_HEADER_BYTES + bytes + (bytes % 2),
        durationSeconds: pcmSeconds(format, bytes),
        complete: this.complete,
      }
    } catch (error) {
      this.cancel()
      throw error
    }
  }

  /** Ends the request without reading the rest. */
  cancel(): void {
    this.#taken = true
    this.#source.cancel()
  }

  #checkFree(): void {
    if (this.#taken) throw new TypeError('This speech was already taken')
  }
}
