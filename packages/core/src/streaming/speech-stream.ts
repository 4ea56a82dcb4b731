import { type PcmFormat, pcmSeconds } from '../audio/pcm-format.ts'
import { wavStream } from '../audio/wav-stream.ts'
import { encodeWav, WAV_HEADER_BYTES } from '../audio/wav.ts'
import { cancellable } from '../transport/request-scope.ts'
import type { FileAccess } from '../transport/upload-source.ts'
import { needFiles } from '../transport/uploads.ts'
import { toReadableStream } from './base64.ts'
import type { StreamEvent } from './sse-decoder.ts'

/** Result of {@link SpeechStream.saveTo}. */
export interface SavedSpeech {
  /** Size of the file, in bytes. */
  readonly bytes: number
  /** Length of the speech, in seconds. */
  readonly durationSeconds: number
  /** See {@link SpeechStream.complete}. */
  readonly complete: boolean
}

/**
 * Speech while it is synthesized. Iterate it for PCM in whole frames, or read it as events, as a WAV or into a file. It
 * can be read once. It is complete or it throws: a stream without its terminal event throws `StreamTruncatedError`.
 * Leaving the iteration early ends the request.
 */
export class SpeechStream implements AsyncIterable<Uint8Array> {
  /** Layout of the PCM, as reported by the service. */
  readonly format: PcmFormat
  /** The task of the stream, if the service named it first. */
  readonly taskId: string | undefined
  /** The response's `x-request-id`. */
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
   * Whether the service confirmed the end. True after an event stream was read to its end. Always false for raw PCM,
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
   * Every event unchanged, unknown types too, from the first to `speech.audio.done`. An `error` event throws
   * `StreamFailedError`.
   * @throws TypeError for raw PCM, which has no events
   */
  events(): AsyncGenerator<StreamEvent, void, undefined> {
    this.#checkFree()
    // This goes first: it throws if the stream has no events, and the PCM can still be read.
    const events = this.#source.events()
    this.#taken = true
    return events
  }

  /** The PCM as a web stream. */
  stream(): ReadableStream<Uint8Array> {
    return toReadableStream(this[Symbol.asyncIterator]())
  }

  /**
   * The speech as a response of your own server: a WAV that plays while it is synthesized, see `wavStream()`. A cut
   * stream cuts the response.
   * @param headers Further headers. They replace those of the audio.
   */
  asResponse(headers?: Readonly<Record<string, string>>): Response {
    const chunks = wavStream(this.format, this[Symbol.asyncIterator]())
    const wav = toReadableStream(cancellable(chunks, () => this.cancel()))
    return new Response(wav, { headers: { 'content-type': 'audio/wav', ...headers } })
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
   * Writes the speech to a WAV file with true sizes, in constant memory. The file appears only when it is complete.
   * @throws ConfigurationError if this client has no access to files
   * @throws InvalidRequestError if the path is not writable
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

  /** As `cancel()`, for `await using`. Does nothing after the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
  }

  #checkFree(): void {
    if (this.#taken) throw new TypeError('This speech was already taken')
  }
}

/** A speech stream behind {@link SpeechStream}: server-sent events, or raw PCM. */
export interface SpeechSource {
  readonly format: PcmFormat
  readonly taskId: string | undefined
  readonly requestId: string | undefined
  /** Whether the stream proved that it is complete. */
  readonly complete: boolean
  /** Whole frames, until the audio ends. */
  pcm(): AsyncGenerator<Uint8Array, void, undefined>
  /** Every event, from the first one. */
  events(): AsyncGenerator<StreamEvent, void, undefined>
  cancel(): void
}
