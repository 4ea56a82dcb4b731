import { pcmSeconds, type PcmFormat } from '../audio/pcm-format.ts'
import { toReadableStream } from '../streaming/base64.ts'
import type { SavedSpeech } from '../streaming/speech-stream.ts'
import { aigcChunk } from '../audio/wav-aigc.ts'
import { wavStream } from '../audio/wav-stream.ts'
import { encodeWav, WAV_HEADER_BYTES } from '../audio/wav.ts'
import type { FileAccess } from '../transport/upload-source.ts'
import { cancellable } from '../transport/request-scope.ts'
import { needFiles } from '../transport/uploads.ts'
import type { NarrationAudio, NarrationPiece } from './narration-audio.ts'

/**
 * A long text as one audio, while it is spoken. Iterate it for PCM in whole frames, or read it as a WAV or into a file.
 * It can be read once. It is complete or it throws. Leaving the iteration early ends every request.
 */
export class Narration implements AsyncIterable<Uint8Array> {
  /** Layout of the PCM, the same for every piece. */
  readonly format: PcmFormat
  /**
   * The marking requested with `aigc_metadata`. {@link Narration.toWav} and {@link Narration.saveTo} write it into the
   * file. `readAigc()` reads it. PCM carries none (interface: `aigc_metadata`).
   */
  readonly aigc: string | undefined
  readonly #audio: NarrationAudio
  readonly #files: FileAccess | undefined
  #taken = false

  constructor(audio: NarrationAudio, aigc: string | undefined, files: FileAccess | undefined) {
    this.format = audio.format
    this.aigc = aigc
    this.#audio = audio
    this.#files = files
  }

  /** The pieces that have begun, in order, with their times. Contains all pieces after the audio is read. */
  get pieces(): readonly NarrationPiece[] {
    return this.#audio.pieces
  }

  /** Whether all audio was read and the service confirmed every end. False for raw PCM, whose end proves nothing. */
  get complete(): boolean {
    return this.#audio.complete
  }

  /** PCM in whole frames. */
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#taken) throw new TypeError('This narration was already taken; it can be read once')
    this.#taken = true
    return this.#audio.pcm()
  }

  /**
   * The audio as a response of your own server: a WAV of unknown length, sent while it is spoken. If the narration fails
   * or the client disconnects, the requests end. It carries no {@link Narration.aigc}, whose place is the end of a file.
   * @param headers Further headers.
   */
  asResponse(headers?: Readonly<Record<string, string>>): Response {
    const chunks = wavStream(this.format, this[Symbol.asyncIterator]())
    const wav = toReadableStream(cancellable(chunks, () => this.cancel()))
    return new Response(wav, { headers: { 'content-type': 'audio/wav', ...headers } })
  }

  /** The PCM as a web stream. */
  stream(): ReadableStream<Uint8Array> {
    return toReadableStream(this[Symbol.asyncIterator]())
  }

  /**
   * The whole audio as a WAV file with true sizes, in memory.
   * @throws RangeError if the audio exceeds the 4 GiB of a WAV file
   */
  async toWav(): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this) chunks.push(chunk)
    return encodeWav(this.format, chunks, aigcChunk(this.aigc))
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
      const mark = aigcChunk(this.aigc)
      const bytes = await needFiles(this.#files, 'path').saveWav(path, format, pcm, mark)
      return {
        bytes: WAV_HEADER_BYTES + bytes + (bytes % 2) + mark.byteLength,
        durationSeconds: pcmSeconds(format, bytes),
        complete: this.complete,
      }
    } catch (error) {
      this.cancel()
      throw error
    }
  }

  /** Ends every request without reading the rest. */
  cancel(): void {
    this.#taken = true
    this.#audio.cancel()
  }

  /** As `cancel()`, for `await using`. Does nothing after the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
  }
}
