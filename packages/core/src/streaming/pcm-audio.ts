import { encodeWav, type PcmFormat, pcmSeconds, WAV_HEADER_BYTES, wavStream } from '../audio/index.ts'
import { toReadableStream } from '../bytes.ts'
import { cancellable } from '../transport/index.ts'
import { type FileAccess, needFiles } from '../uploads/index.ts'

/** Where the PCM of a {@link PcmAudio} comes from. */
export interface PcmSource {
  readonly format: PcmFormat
  /** Whether the source proved that the audio is complete. */
  readonly complete: boolean
  /** Whole frames, until the audio ends. */
  pcm(): AsyncGenerator<Uint8Array, void, undefined>
  cancel(): void
}

/** What `saveTo()` wrote. */
export interface SavedSpeech {
  /** Size of the file, in bytes. */
  readonly bytes: number
  /** Length of the speech, in seconds. */
  readonly durationSeconds: number
  /** Whether the service confirmed the end of the audio: see {@link PcmAudio.complete}. */
  readonly complete: boolean
}

/**
 * Audio while it is made. Iterate it for PCM in whole frames, or read it as a stream, as a WAV or into a file. It can be
 * read once. It is complete or it throws. Leaving the iteration early ends its requests.
 */
export class PcmAudio implements AsyncIterable<Uint8Array> {
  /** Layout of the PCM. */
  readonly format: PcmFormat
  readonly #source: PcmSource
  readonly #files: FileAccess | undefined
  readonly #tail: Uint8Array
  readonly #name: string
  #taken = false

  /**
   * @param name What the audio is, for messages.
   * @param tail RIFF chunks after the samples of a WAV file.
   */
  constructor(name: string, source: PcmSource, files?: FileAccess, tail: Uint8Array = new Uint8Array(0)) {
    this.#name = name
    this.#source = source
    this.#files = files
    this.#tail = tail
    this.format = source.format
  }

  /**
   * Whether all audio was read and the service confirmed its end, as an event stream does. Always false for raw PCM,
   * whose end proves nothing.
   */
  get complete(): boolean {
    return this.#source.complete
  }

  /** PCM in whole frames. */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return this.take(() => this.#source.pcm())
  }

  /** The PCM as a web stream. */
  stream(): ReadableStream<Uint8Array> {
    return toReadableStream(this[Symbol.asyncIterator]())
  }

  /**
   * The audio as a response of your own server: a WAV of unknown length that plays while it is made, see `wavStream()`.
   * If the audio fails, the response is cut. A client that disconnects ends the requests.
   * @param headers Further headers. They replace those of the audio.
   */
  asResponse(headers?: Readonly<Record<string, string>>): Response {
    const chunks = wavStream(this.format, this[Symbol.asyncIterator]())
    const wav = toReadableStream(cancellable(chunks, () => this.cancel()))
    return new Response(wav, { headers: { 'content-type': 'audio/wav', ...headers } })
  }

  /**
   * The whole audio as a WAV file with true sizes, in memory.
   * @throws RangeError if the audio exceeds the 4 GiB of a WAV file
   */
  async toWav(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this) chunks.push(chunk)
    return encodeWav(this.format, chunks, this.#tail)
  }

  /**
   * Writes a WAV file with true sizes, in constant memory. The file appears only when it is complete.
   * @throws ConfigurationError if the client has no access to files
   * @throws InvalidRequestError if the path is not writable
   * @throws RangeError if the audio exceeds the 4 GiB of a WAV file
   */
  async saveTo(path: string): Promise<SavedSpeech> {
    const pcm = this[Symbol.asyncIterator]()
    try {
      const { format } = this
      const bytes = await needFiles(this.#files, 'path').saveWav(path, format, pcm, this.#tail)
      return {
        bytes: WAV_HEADER_BYTES + bytes + (bytes % 2) + this.#tail.byteLength,
        durationSeconds: pcmSeconds(format, bytes),
        complete: this.complete,
      }
    } catch (error) {
      this.cancel()
      throw error
    }
  }

  /** Ends the requests without reading the rest. */
  cancel(): void {
    this.#taken = true
    this.#source.cancel()
  }

  /** As `cancel()`, for `await using`. Does nothing after the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
  }

  /** Begins the one reading. If `read` throws, another one may follow. */
  protected take<Reading>(read: () => Reading): Reading {
    if (this.#taken) throw new TypeError(`This ${this.#name} was already taken; it can be read once`)
    const reading = read()
    this.#taken = true
    return reading
  }
}
