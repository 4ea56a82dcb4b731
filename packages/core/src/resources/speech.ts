import { checkSpeech, checkSpeechStream } from '../checks/speech.ts'
import type { AudioBody } from '../streaming/audio-body.ts'
import { RawSpeechSource } from '../streaming/raw-speech-source.ts'
import { SpeechStream } from '../streaming/speech-stream.ts'
import { SseSpeechSource } from '../streaming/sse-speech-source.ts'
import { jsonBody } from '../transport/bodies.ts'
import { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { FileAccess } from '../transport/uploads.ts'
import type { SpeechRequest, SpeechResult, SpeechStreamRequest } from '../wire/speech.ts'
import type { SpeechTask } from '../wire/tasks.ts'
import { AudioOutcomes } from './audio-outcomes.ts'
import type { ClientContext } from './context.ts'
import { eventDeadline } from './event-deadline.ts'
import { expectMediaType, isEventStream } from './expect-media-type.ts'
import type { Forbid } from './forbid.ts'
import type { TaskHandle } from './task-handle.ts'

/** What belongs to streaming speech alone. */
type StreamOnly = 'stream' | 'stream_format' | 'speed' | 'language' | 'expected_duration_sec'

/** Body of {@link SpeechResource.create} and {@link SpeechResource.createUrl}. */
export type SpeechCreateBody = Omit<SpeechRequest, 'async' | 'delivery_method' | 'webhook_url'> &
  Forbid<'async' | 'delivery_method' | 'webhook_url' | StreamOnly>

/** Body of {@link SpeechResource.createTask}. `async` has one possible value and is filled in. */
export type SpeechTaskBody = Omit<SpeechRequest, 'async' | 'delivery_method'> & { readonly async?: true } & Forbid<
    'delivery_method' | StreamOnly
  >

/** Body of {@link SpeechResource.stream}. `stream` and `response_format` have one possible value and are filled in. */
export type SpeechStreamBody = Omit<SpeechStreamRequest, 'stream' | 'response_format' | 'stream_format'> &
  Partial<Pick<SpeechStreamRequest, 'stream' | 'response_format'>> & {
    /**
     * Events prove that the audio is complete; raw PCM cannot.
     * @default 'sse'
     */
    readonly stream_format?: 'audio' | 'sse'
  } & Forbid<'async' | 'webhook_url' | 'delivery_method' | 'sample_rate' | 'voice_url' | 'voice_data' | 'file_id'>

const PATH = '/v1/audio/speech'

/** Single-speaker speech (interface: `POST /v1/audio/speech`). */
export class SpeechResource {
  readonly #context: ClientContext
  readonly #outcomes: AudioOutcomes<SpeechCreateBody | SpeechTaskBody>

  /** Access to files of this machine, where the client has it. */
  readonly files: FileAccess | undefined

  constructor(context: ClientContext) {
    this.#context = context
    this.files = context.uploads.files
    this.#outcomes = new AudioOutcomes<SpeechCreateBody | SpeechTaskBody>(context, {
      name: 'speech',
      path: PATH,
      check: checkSpeech,
      text: ({ input }) => input,
    })
  }

  /**
   * Text to audio. Resolves when the audio begins to arrive.
   * @throws InvalidRequestError before anything is sent
   * @throws ProtocolError when the answer is a document instead
   */
  create(body: SpeechCreateBody, options?: CallOptions): Call<AudioBody> {
    return this.#outcomes.audio(body, options)
  }

  /**
   * Text to a URL of the audio, which `audio.download()` fetches.
   * @throws InvalidRequestError before anything is sent
   */
  createUrl(body: SpeechCreateBody, options?: CallOptions): Call<SpeechResult> {
    return this.#outcomes.url(body, options)
  }

  /**
   * Text to a task, for long texts or a webhook.
   * @throws InvalidRequestError before anything is sent
   */
  createTask(body: SpeechTaskBody, options?: CallOptions): Call<TaskHandle<SpeechTask>> {
    return this.#outcomes.task(body, options)
  }

  /**
   * Text to PCM while it is spoken. Resolves once the format is known.
   * @throws InvalidRequestError before anything is sent
   * @throws StreamFailedError, StreamTruncatedError or ProtocolError, here or while it is read
   */
  stream(body: SpeechStreamBody, options?: CallOptions): Call<SpeechStream> {
    return new Call(async () => {
      checkSpeechStream(body)
      const { api, uploads } = this.#context
      const events = body.stream_format !== 'audio'
      const full = { ...body, stream: true, response_format: 'pcm', stream_format: events ? 'sse' : 'audio' }
      const response = await api.send(
        {
          operation: 'speech.stream',
          method: 'POST',
          path: PATH,
          body: jsonBody(full),
          accept: events ? 'text/event-stream' : 'audio/pcm',
          billable: true,
          model: body.model,
          content: body.input,
        },
        options,
      )
      // Raw PCM shows itself by its headers.
      if (events) expectMediaType(response, isEventStream, 'an event stream')
      const source = events
        ? await SseSpeechSource.open(response, eventDeadline(api, options))
        : new RawSpeechSource(response)
      return { data: new SpeechStream(source, uploads.files), response }
    })
  }
}
