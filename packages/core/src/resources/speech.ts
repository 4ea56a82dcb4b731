import { checkSpeech, checkSpeechStream } from '../checks/speech.ts'
import { ProtocolError } from '../errors/protocol-error.ts'
import { AudioBody } from '../streaming/audio-body.ts'
import { RawSpeechSource } from '../streaming/raw-speech-source.ts'
import { SpeechStream } from '../streaming/speech-stream.ts'
import { SseSpeechSource } from '../streaming/sse-speech-source.ts'
import type { Api } from '../transport/api.ts'
import type { ApiResponse } from '../transport/api-response.ts'
import { jsonBody } from '../transport/bodies.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { FileAccess } from '../transport/uploads.ts'
import type { SpeechRequest, SpeechResult, SpeechStreamRequest } from '../wire/speech.ts'

/** Body of {@link SpeechResource.create} and {@link SpeechResource.createUrl}. */
export type SpeechCreateBody = Omit<SpeechRequest, 'async' | 'delivery_method' | 'webhook_url'>

/** Body of {@link SpeechResource.stream}. `stream` and `response_format` have one possible value and are filled in. */
export type SpeechStreamBody = Omit<SpeechStreamRequest, 'stream' | 'response_format' | 'stream_format'> &
  Partial<Pick<SpeechStreamRequest, 'stream' | 'response_format'>> & {
    /**
     * Events prove that the audio is complete; raw PCM cannot.
     * @default 'sse'
     */
    readonly stream_format?: 'audio' | 'sse'
  }

const PATH = '/v1/audio/speech'

/** Single-speaker speech (interface: `POST /v1/audio/speech`). */
export class SpeechResource {
  readonly #api: Api
  readonly #files: FileAccess | undefined

  constructor(api: Api, files?: FileAccess) {
    this.#api = api
    this.#files = files
  }

  /**
   * Text to audio. Resolves when the audio begins to arrive.
   * @throws InvalidRequestError before anything is sent
   * @throws ProtocolError when the answer is a document instead
   */
  async create(body: SpeechCreateBody, options?: CallOptions): Promise<AudioBody> {
    checkSpeech(body)
    const request = { method: 'POST', path: PATH, body: jsonBody(body), accept: '*/*' } as const
    const response = await this.#api.send(request, options)
    expectMediaType(response, (type) => type !== 'application/json' && type !== 'text/html', 'audio')
    return new AudioBody(response, this.#files)
  }

  /**
   * Text to a URL of the audio.
   * @throws InvalidRequestError before anything is sent
   */
  async createUrl(body: SpeechCreateBody, options?: CallOptions): Promise<SpeechResult> {
    checkSpeech(body)
    return this.#api.json({ method: 'POST', path: PATH, body: jsonBody({ ...body, delivery_method: 'url' }) }, options)
  }

  /**
   * Text to PCM while it is spoken. Resolves once the format is known.
   * @throws InvalidRequestError before anything is sent
   * @throws StreamFailedError, StreamTruncatedError or ProtocolError, here or while it is read
   */
  async stream(body: SpeechStreamBody, options?: CallOptions): Promise<SpeechStream> {
    checkSpeechStream(body)
    const events = body.stream_format !== 'audio'
    const full = { ...body, stream: true, response_format: 'pcm', stream_format: events ? 'sse' : 'audio' }
    const accept = events ? 'text/event-stream' : 'audio/pcm'
    const response = await this.#api.send({ method: 'POST', path: PATH, body: jsonBody(full), accept }, options)
    // Anything else would be read as one endless event. Raw PCM shows itself by its headers.
    if (events) expectMediaType(response, (type) => type === 'text/event-stream', 'an event stream')
    return new SpeechStream(events ? await SseSpeechSource.open(response) : new RawSpeechSource(response), this.#files)
  }
}

/** A missing type is let pass: what follows decides. */
function expectMediaType(response: ApiResponse, fits: (mediaType: string) => boolean, what: string): void {
  const { mediaType } = response
  if (mediaType === '' || fits(mediaType)) return
  response.cancel()
  throw new ProtocolError(`The service answered with ${mediaType} instead of ${what}`)
}
