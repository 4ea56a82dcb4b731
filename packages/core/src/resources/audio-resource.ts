import type { Outcome } from '../checks/common.ts'
import type { AudioBody } from '../streaming/audio-body.ts'
import type { ApiRequest } from '../transport/api.ts'
import { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { SpeechResult } from '../wire/speech.ts'
import type { SpeechTask } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { createTask } from './create-task.ts'
import { requestAudio } from './request-media.ts'
import type { TaskHandle } from './task-handle.ts'

/** An endpoint that makes audio. It answers with the audio, its URL, or a task. */
export class AudioResource<CreateBody extends object, TaskBody extends object> {
  readonly #context: ClientContext
  readonly #path: string

  /** @param path Path of the endpoint. */
  constructor(context: ClientContext, path: string) {
    this.#context = context
    this.#path = path
  }

  /**
   * Makes audio. Resolves when the audio begins to arrive.
   * @throws InvalidRequestError before the request
   * @throws ProtocolError if the answer is a document
   */
  create(body: CreateBody, options?: CallOptions): Call<AudioBody> {
    return new Call(async () => requestAudio(this.#context, this.#request(body, 'answer'), options))
  }

  /**
   * Makes audio and returns its URL. `audio.download()` fetches it.
   * @throws InvalidRequestError before the request
   */
  createUrl(body: CreateBody, options?: CallOptions): Call<SpeechResult> {
    const more = { delivery_method: 'url' }
    return this.#context.api.json(() => this.#request(body, 'answer', more), options)
  }

  /**
   * Makes audio in a task, for long texts or a webhook.
   * @throws InvalidRequestError before the request
   */
  createTask(body: TaskBody, options?: CallOptions): Call<TaskHandle<SpeechTask>> {
    return createTask(this.#context, () => this.#request(body, 'task', { async: true }), options)
  }

  #request(body: object, outcome: Outcome, more?: object): ApiRequest {
    this.#context.check(this.#path, body, outcome)
    return { path: this.#path, fields: { ...body, ...more }, billable: true }
  }
}
