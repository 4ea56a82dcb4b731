import type { Outcome } from '../checks/common.ts'
import type { AudioBody } from '../streaming/audio-body.ts'
import type { ApiRequest } from '../transport/api.ts'
import { jsonBody } from '../transport/bodies.ts'
import { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { SpeechResult } from '../wire/speech.ts'
import type { SpeechTask } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { createTask } from './create-task.ts'
import { sendForAudio } from './send-for.ts'
import type { TaskHandle } from './task-handle.ts'

/** An endpoint that makes audio of a JSON body. */
export interface AudioEndpoint<Body extends AudioRequestBody> {
  /** As in `speech.create`. */
  readonly name: string
  readonly path: string
  /** @throws InvalidRequestError */
  readonly check: (body: Body, outcome: Outcome) => void
  /** The text of a body, for traces that ask for it. */
  readonly text: (body: Body) => string
}

/** What every such body has. */
export interface AudioRequestBody {
  readonly model: string
}

/** The three ways in which an endpoint that makes audio answers: the audio, its URL, or a task. */
export class AudioResource<CreateBody extends AudioRequestBody, TaskBody extends AudioRequestBody> {
  readonly #context: ClientContext
  readonly #endpoint: AudioEndpoint<CreateBody | TaskBody>

  constructor(context: ClientContext, endpoint: AudioEndpoint<CreateBody | TaskBody>) {
    this.#context = context
    this.#endpoint = endpoint
  }

  /**
   * Makes audio. Resolves when it begins to arrive.
   * @throws InvalidRequestError before anything is sent
   * @throws ProtocolError when the answer is a document instead
   */
  create(body: CreateBody, options?: CallOptions): Call<AudioBody> {
    return new Call(async () => sendForAudio(this.#context, this.#request('create', body, 'answer'), options))
  }

  /**
   * Makes audio and answers with its URL, which `audio.download()` fetches.
   * @throws InvalidRequestError before anything is sent
   */
  createUrl(body: CreateBody, options?: CallOptions): Call<SpeechResult> {
    const more = { delivery_method: 'url' }
    return this.#context.api.json(() => this.#request('createUrl', body, 'answer', more), options)
  }

  /**
   * Makes audio by a task, for long texts or a webhook.
   * @throws InvalidRequestError before anything is sent
   */
  createTask(body: TaskBody, options?: CallOptions): Call<TaskHandle<SpeechTask>> {
    return createTask(this.#context, () => this.#request('createTask', body, 'task', { async: true }), options)
  }

  #request(method: string, body: CreateBody | TaskBody, outcome: Outcome, more?: object): ApiRequest {
    const { name, path, check, text } = this.#endpoint
    check(body, outcome)
    const { model } = body
    const operation = `${name}.${method}`
    return { operation, path, body: jsonBody({ ...body, ...more }), billable: true, model, content: text(body) }
  }
}
