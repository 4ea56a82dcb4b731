import type { Outcome } from '../checks/index.ts'
import type { AudioBody } from '../streaming/index.ts'
import { type ApiRequest, Call, type CallOptions } from '../transport/index.ts'
import type {
  DialogueModel,
  DialogueRequest,
  FormatOf,
  KnownModel,
  ModelOf,
  SpeechResult,
  SpeechTask,
  VoiceGenerationModel,
  VoiceGenerationRequest,
} from '../wire/index.ts'
import { type ClientContext, requestAudio, Resource, type Without } from './resource.ts'
import {
  createAndWait,
  type CreateAndWaitOptions,
  createTask,
  type FinishedTask,
  type TaskHandle,
} from './task-handle.ts'

/** The fields of a body whose wrong names the compiler corrects. */
interface Named<Known extends KnownModel, Model extends string, Format extends string> {
  readonly model: ModelOf<Known, Model>
  readonly response_format?: FormatOf<Format>
}

/** An endpoint that makes audio with one of its `Known` models. It answers with the audio, its URL, or a task. */
export class AudioResource<
  Known extends KnownModel,
  CreateBody extends object,
  TaskBody extends object,
> extends Resource {
  readonly #name: string
  readonly #path: string

  /**
   * @param name The client's name for the resource. Logs begin with it.
   * @param path Path of the endpoint.
   */
  constructor(context: ClientContext, name: string, path: string) {
    super(context)
    this.#name = name
    this.#path = path
  }

  /**
   * Makes audio. Resolves when the audio begins to arrive.
   * @throws InvalidRequestError before the request
   * @throws ProtocolError if the response is a document
   */
  create<Model extends string, Format extends string = string>(
    body: CreateBody & Named<Known, Model, Format>,
    options?: CallOptions,
  ): Call<AudioBody> {
    return new Call(async () => requestAudio(this.context, this.#request('create', body), options))
  }

  /**
   * Makes audio and returns its URL. `audio.download()` fetches it.
   * @throws InvalidRequestError before the request
   */
  createUrl<Model extends string, Format extends string = string>(
    body: CreateBody & Named<Known, Model, Format>,
    options?: CallOptions,
  ): Call<SpeechResult> {
    const more = { delivery_method: 'url' }
    return this.context.api.json(() => this.#request('createUrl', body, more), options)
  }

  /**
   * Makes audio in a task, for long texts or a webhook.
   * @throws InvalidRequestError before the request
   */
  createTask<Model extends string, Format extends string = string>(
    body: TaskBody & Named<Known, Model, Format>,
    options?: CallOptions,
  ): Call<TaskHandle<SpeechTask>> {
    return createTask(this.context, () => this.#request('createTask', body, { async: true }, 'task'), options)
  }

  /**
   * Makes audio in a task and waits for its end.
   * @returns the task in `SUCCESS`, with the `url` of its audio: `audio.download(task)` fetches it
   * @throws InvalidRequestError before the request
   * @throws TaskFailedError with the error of the service
   * @throws TaskTimeoutError when the deadline passes; it has the id, and the task continues
   */
  createAndWait<Model extends string, Format extends string = string>(
    body: TaskBody & Named<Known, Model, Format>,
    options: CreateAndWaitOptions = {},
  ): Promise<FinishedTask<SpeechTask, 'url'>> {
    return createAndWait((call) => this.createTask(body, call), 'url', options)
  }

  #request(method: string, body: object, more?: object, outcome: Outcome = 'answer'): ApiRequest {
    this.context.check(this.#path, body, outcome)
    return { operation: `${this.#name}.${method}`, path: this.#path, fields: { ...body, ...more }, billable: true }
  }
}

/** Body of {@link DialogueResource.create} and {@link DialogueResource.createUrl}. */
export type DialogueCreateBody = Omit<DialogueRequest, 'async' | 'delivery_method' | 'webhook_url'> &
  Without<'async' | 'delivery_method' | 'webhook_url'>

/** Body of {@link DialogueResource.createTask}. `async` is set by the method. */
export type DialogueTaskBody = Omit<DialogueRequest, 'async' | 'delivery_method'> & {
  /** Set by the method. */
  readonly async?: true
} & Without<'delivery_method'>

/** Speech of several speakers (interface: `POST /v1/audio/speech/speakers`). */
export class DialogueResource extends AudioResource<DialogueModel, DialogueCreateBody, DialogueTaskBody> {
  constructor(context: ClientContext) {
    super(context, 'dialogue', '/v1/audio/speech/speakers')
  }
}

/** Body of {@link VoiceGenerationsResource.create} and {@link VoiceGenerationsResource.createUrl}. */
export type VoiceGenerationBody = Omit<VoiceGenerationRequest, 'async' | 'delivery_method' | 'webhook_url'> &
  Without<'async' | 'delivery_method' | 'webhook_url'>

/** Body of {@link VoiceGenerationsResource.createTask}. `async` is set by the method. */
export type VoiceGenerationTaskBody = Omit<VoiceGenerationRequest, 'async' | 'delivery_method'> & {
  /** Set by the method. */
  readonly async?: true
} & Without<'delivery_method'>

/**
 * Speech in a voice described in words (interface: `POST /v1/audio/voice/generations`). It returns audio and no voice
 * id. To reuse the voice, pass the audio to `voices.create()`.
 */
export class VoiceGenerationsResource extends AudioResource<
  VoiceGenerationModel,
  VoiceGenerationBody,
  VoiceGenerationTaskBody
> {
  constructor(context: ClientContext) {
    super(context, 'voiceGenerations', '/v1/audio/voice/generations')
  }
}
