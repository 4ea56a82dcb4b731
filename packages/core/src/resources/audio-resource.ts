import type { Outcome } from '../checks/common.ts'
import type { AudioBody } from '../streaming/audio-body.ts'
import type { ApiRequest } from '../transport/api.ts'
import { Call, type CallOptions } from '../transport/call.ts'
import type { KnownModel, ModelOf } from '../wire/models.ts'
import type { SpeechResult } from '../wire/speech.ts'
import type { SpeechTask } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { createAndWait, type CreateAndWaitOptions, type FinishedTask } from './create-and-wait.ts'
import { createTask } from './create-task.ts'
import { requestAudio } from './request-media.ts'
import { Resource } from './resource.ts'
import type { TaskHandle } from './task-handle.ts'

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
  create<Model extends string>(
    body: CreateBody & { readonly model: ModelOf<Known, Model> },
    options?: CallOptions,
  ): Call<AudioBody> {
    return new Call(async () => requestAudio(this.context, this.#request('create', body), options))
  }

  /**
   * Makes audio and returns its URL. `audio.download()` fetches it.
   * @throws InvalidRequestError before the request
   */
  createUrl<Model extends string>(
    body: CreateBody & { readonly model: ModelOf<Known, Model> },
    options?: CallOptions,
  ): Call<SpeechResult> {
    const more = { delivery_method: 'url' }
    return this.context.api.json(() => this.#request('createUrl', body, more), options)
  }

  /**
   * Makes audio in a task, for long texts or a webhook.
   * @throws InvalidRequestError before the request
   */
  createTask<Model extends string>(
    body: TaskBody & { readonly model: ModelOf<Known, Model> },
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
  createAndWait<Model extends string>(
    body: TaskBody & { readonly model: ModelOf<Known, Model> },
    options: CreateAndWaitOptions = {},
  ): Promise<FinishedTask<SpeechTask, 'url'>> {
    return createAndWait((call) => this.createTask(body, call), 'url', options)
  }

  #request(method: string, body: object, more?: object, outcome: Outcome = 'answer'): ApiRequest {
    this.context.check(this.#path, body, outcome)
    return { operation: `${this.#name}.${method}`, path: this.#path, fields: { ...body, ...more }, billable: true }
  }
}
