import type { Outcome } from '../checks/index.ts'
import { ProtocolError } from '../errors.ts'
import { TranscriptionStream } from '../streaming/index.ts'
import { type Answer, type ApiRequest, Call, type CallOptions } from '../transport/index.ts'
import type { UploadSource } from '../uploads/index.ts'
import type {
  DiarizedTranscription,
  ModelOf,
  Open,
  Transcription,
  TranscriptionModel,
  TranscriptionRequest,
  TranscriptionTask,
} from '../wire/index.ts'
import { requestEvents, Resource, uploadRequest, type Without } from './resource.ts'
import {
  createAndWait,
  type CreateAndWaitOptions,
  createTask,
  type FinishedTask,
  type TaskHandle,
} from './task-handle.ts'

/** Exactly one source of audio. */
export type TranscriptionSource =
  | ({
      /** A local file, at most 512 MB. A string is a path on this machine. */
      readonly file: UploadSource
    } & Without<'file_id' | 'url' | 'audio_url'>)
  | ({
      /** Id of an uploaded file. */
      readonly file_id: string
    } & Without<'file' | 'url' | 'audio_url'>)
  | ({
      /**
       * Public URL of the audio. Localhost, loopback and private addresses throw before the request, unless the client
       * has `allowPrivateUrls`.
       */
      readonly url: string
    } & Without<'file' | 'file_id' | 'audio_url'>)
  | ({
      /** Compatibility field for `url`. */
      readonly audio_url: string
    } & Without<'file' | 'file_id' | 'url'>)

/** Interface: transcription results, `text` is always present. */
function checkText(answer: Answer<Transcription>): Answer<Transcription> {
  if (typeof answer.data.text === 'string') return answer
  const { requestId } = answer.response
  throw new ProtocolError('The service answered a transcription without `text`', { requestId })
}

/** What the compiler says about fields that the standard model does not have (interface: transcription parameter errors). */
type ModelRemedy = 'needs the model svc-transcribe-diarize-pro'

/** A field that the standard model does not have. */
type Diarizing<Model extends string, Value, None> = [Model] extends ['svc-transcribe-1.0'] ? None : Value

type Shared<Model extends string> = {
  readonly model: ModelOf<TranscriptionModel, Model>
  readonly keyterms?: Diarizing<Model, readonly string[], readonly ModelRemedy[]>
  readonly diarize?: Diarizing<Model, boolean, false | ModelRemedy>
} & TranscriptionSource &
  Pick<TranscriptionRequest, 'response_format'> &
  Without<'audio_data'>

/** The result of a transcription, by the fields of its body. */
type TranscriptionResult<Model extends string, Format, Diarize> = Format extends 'text'
  ? string
  : [Model, Diarize] extends ['svc-transcribe-diarize-pro', true]
    ? DiarizedTranscription
    : Transcription

/** Body of {@link TranscriptionsResource.create}. */
export type TranscriptionCreateBody<Model extends string = Open<TranscriptionModel>> = Shared<Model> &
  Without<'stream' | 'async' | 'webhook_url'>

/** Body of {@link TranscriptionsResource.createTask}. `async` is set by the method. */
export type TranscriptionTaskBody<Model extends string = Open<TranscriptionModel>> = Shared<Model> &
  Pick<TranscriptionRequest, 'webhook_url'> & {
    /** Set by the method. */
    readonly async?: true
  } & Without<'stream'>

/** Body of {@link TranscriptionsResource.stream}. `stream` is set by the method. */
export type TranscriptionStreamBody = Omit<Shared<Open<'svc-transcribe-diarize-pro'>>, 'response_format'> &
  TranscriptionSource & {
    /** Set by the method. */
    readonly stream?: true
    /** A stream has only events of JSON. */
    readonly response_format?: 'json'
  } & Without<'async' | 'webhook_url'>

/** What the methods read of a body. */
interface AnyBody {
  readonly file?: UploadSource | undefined
  readonly response_format?: 'json' | 'text'
  readonly async?: boolean | undefined
  readonly stream?: boolean | undefined
}

/** Transcription (interface: `POST /v1/audio/transcriptions`). */
export class TranscriptionsResource extends Resource {
  /**
   * Transcribes audio. A `file` is streamed in constant memory.
   * @returns a string with `response_format: 'text'`, else the JSON of the service with all its fields
   * @throws InvalidRequestError before the request
   * @throws ProtocolError if the response has no `text`
   */
  create<
    Model extends Open<TranscriptionModel>,
    Format extends 'json' | 'text' = 'json',
    Diarize extends boolean = true,
  >(
    body: TranscriptionCreateBody<Model> & {
      readonly response_format?: Format
      readonly diarize?: Diarizing<Model, Diarize, false | ModelRemedy>
    },
    options?: CallOptions,
  ): Call<TranscriptionResult<Model, Format, Diarize>>
  create(body: AnyBody, options?: CallOptions): Call<Transcription | string> {
    return new Call(async (): Promise<Answer<Transcription | string>> => {
      const request = (): Promise<ApiRequest> => this.#request('create', body, 'answer', options)
      const { api } = this.context
      if (body.response_format !== 'text') return checkText(await api.answer<Transcription>(request, options))
      const response = await api.send({ ...(await request()), accept: 'text/plain' }, options)
      return { data: await response.text(), response }
    })
  }

  /**
   * Transcribes audio in a task, for long recordings or a webhook. `timeout` and `signal` cover the upload, the
   * creation and the handle's `wait()` together.
   * @throws InvalidRequestError before the request
   */
  createTask<Model extends Open<TranscriptionModel>>(
    body: TranscriptionTaskBody<Model>,
    options?: CallOptions,
  ): Call<TaskHandle<TranscriptionTask>>
  createTask(body: AnyBody, options?: CallOptions): Call<TaskHandle<TranscriptionTask>> {
    const request = (): Promise<ApiRequest> => this.#request('createTask', { ...body, async: true }, 'task', options)
    return createTask<TranscriptionTask>(this.context, request, options)
  }

  /**
   * Transcribes audio in a task and waits for its end.
   * @returns the task in `SUCCESS`, with its `text`; with `segments` and `duration` from the multi-speaker model
   * @throws InvalidRequestError before the request
   * @throws TaskFailedError with the error of the service
   * @throws TaskTimeoutError when the deadline passes; it has the id, and the task continues
   */
  createAndWait<Model extends Open<TranscriptionModel>>(
    body: TranscriptionTaskBody<Model>,
    options: CreateAndWaitOptions = {},
  ): Promise<FinishedTask<TranscriptionTask, 'text'>> {
    return createAndWait((call) => this.createTask(body, call), 'text', options)
  }

  /**
   * Streams a transcription while the audio is recognized.
   * @throws InvalidRequestError before the request
   * @throws StreamFailedError, StreamTruncatedError or ProtocolError, here or while the stream is read
   */
  stream<Model extends string>(
    body: TranscriptionStreamBody & { readonly model: ModelOf<'svc-transcribe-diarize-pro', Model> },
    options?: CallOptions,
  ): Call<TranscriptionStream>
  stream(body: AnyBody, options?: CallOptions): Call<TranscriptionStream> {
    return new Call(async () => {
      const request = await this.#request('stream', { ...body, stream: true }, 'stream', options)
      return requestEvents(this.context, request, (...events) => TranscriptionStream.open(...events), options)
    })
  }

  async #request(
    method: string,
    body: AnyBody,
    outcome: Outcome | 'stream',
    options: CallOptions | undefined,
  ): Promise<ApiRequest> {
    const path = '/v1/audio/transcriptions'
    this.context.check(path, body, outcome)
    const { file, ...fields } = body
    const request = { operation: `transcriptions.${method}`, path, billable: true, fields }
    return file === undefined ? request : uploadRequest(this.context, request, ['file', file], options)
  }
}
