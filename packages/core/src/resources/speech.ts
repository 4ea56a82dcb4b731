import { SpeechStream } from '../streaming/index.ts'
import { Call, type CallOptions } from '../transport/index.ts'
import type { FileAccess } from '../uploads/index.ts'
import type { ModelOf, SpeechModel, SpeechRequest, SpeechStreamRequest, StreamingSpeechModel } from '../wire/index.ts'
import { AudioResource } from './audio-resource.ts'
import { type ClientContext, requestEvents, type Without } from './resource.ts'

/** Fields of streaming speech only. */
type StreamOnly = 'stream' | 'stream_format' | 'speed' | 'language' | 'expected_duration_sec'

/** Body of {@link SpeechResource.create} and {@link SpeechResource.createUrl}. */
export type SpeechCreateBody = Omit<SpeechRequest, 'async' | 'delivery_method' | 'webhook_url'> &
  Without<'async' | 'delivery_method' | 'webhook_url' | StreamOnly>

/** Body of {@link SpeechResource.createTask}. `async` is set by the method. */
export type SpeechTaskBody = Omit<SpeechRequest, 'async' | 'delivery_method'> & {
  /** Set by the method. */
  readonly async?: true
} & Without<'delivery_method' | StreamOnly>

/** Body of {@link SpeechResource.stream}. `stream` and `response_format` are set by the method. */
export type SpeechStreamBody = Omit<SpeechStreamRequest, 'stream' | 'response_format' | 'stream_format'> &
  Partial<Pick<SpeechStreamRequest, 'stream' | 'response_format'>> & {
    /**
     * Events prove that the audio is complete; raw PCM cannot.
     * @default 'sse'
     */
    readonly stream_format?: 'audio' | 'sse'
  } & Without<'async' | 'webhook_url' | 'delivery_method' | 'sample_rate' | 'voice_url' | 'voice_data' | 'file_id'>

const PATH = '/v1/audio/speech'

/** Single-speaker speech (interface: `POST /v1/audio/speech`). */
export class SpeechResource extends AudioResource<SpeechModel, SpeechCreateBody, SpeechTaskBody> {
  /** Access to files on this machine, if the client has it. */
  readonly files: FileAccess | undefined

  constructor(context: ClientContext) {
    super(context, 'speech', PATH)
    this.files = context.uploads.files
  }

  /**
   * Streams speech as PCM while it is synthesized. Resolves when the format is known.
   * @throws InvalidRequestError before the request
   * @throws StreamFailedError, StreamTruncatedError or ProtocolError, here or while the stream is read
   */
  stream<Model extends string>(
    body: SpeechStreamBody & { readonly model: ModelOf<StreamingSpeechModel, Model> },
    options?: CallOptions,
  ): Call<SpeechStream>
  stream(body: SpeechStreamBody, options?: CallOptions): Call<SpeechStream> {
    return new Call(async () => {
      const { api, check, uploads } = this.context
      check(PATH, body, 'stream')
      const { stream_format: format = 'sse' } = body
      const fields = { ...body, stream: true, response_format: 'pcm', stream_format: format }
      const request = { operation: 'speech.stream', path: PATH, fields, billable: true }
      if (format === 'sse') {
        return requestEvents(this.context, request, (...events) => SpeechStream.open(...events, uploads.files), options)
      }
      // Headers identify raw PCM.
      const response = await api.send({ ...request, accept: 'audio/pcm', streamed: true }, options)
      return { data: SpeechStream.raw(response, uploads.files), response }
    })
  }
}
