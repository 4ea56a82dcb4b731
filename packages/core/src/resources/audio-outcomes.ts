import type { Outcome } from '../checks/common.ts'
import { AudioBody } from '../streaming/audio-body.ts'
import type { ApiRequest } from '../transport/api.ts'
import { jsonBody } from '../transport/bodies.ts'
import { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { SpeechResult } from '../wire/speech.ts'
import type { SpeechTask, TaskCreation } from '../wire/tasks.ts'
import type { ClientContext } from './context.ts'
import { expectMediaType, isAudio } from './expect-media-type.ts'
import { TaskHandle } from './task-handle.ts'

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
export class AudioOutcomes<Body extends AudioRequestBody> {
  readonly #context: ClientContext
  readonly #endpoint: AudioEndpoint<Body>

  constructor(context: ClientContext, endpoint: AudioEndpoint<Body>) {
    this.#context = context
    this.#endpoint = endpoint
  }

  audio(body: Body, options?: CallOptions): Call<AudioBody> {
    return new Call(async () => {
      const request = this.#request('create', body, 'answer', {})
      const { api, uploads } = this.#context
      const response = await api.send({ ...request, accept: '*/*' }, options)
      expectMediaType(response, isAudio, 'audio')
      return { data: new AudioBody(response, uploads.files), response }
    })
  }

  url(body: Body, options?: CallOptions): Call<SpeechResult> {
    const request = (): ApiRequest => this.#request('createUrl', body, 'answer', { delivery_method: 'url' })
    return this.#context.api.json(request, options)
  }

  task(body: Body, options: CallOptions = {}): Call<TaskHandle<SpeechTask>> {
    return createTask(this.#context, () => this.#request('createTask', body, 'task', { async: true }), options)
  }

  #request(method: string, body: Body, outcome: Outcome, more: object): ApiRequest {
    const { name, path, check, text } = this.#endpoint
    check(body, outcome)
    const sent = jsonBody({ ...body, ...more })
    const { model } = body
    return {
      operation: `${name}.${method}`,
      method: 'POST',
      path,
      body: sent,
      billable: true,
      model,
      content: text(body),
    }
  }
}

/** Sends a request for a task. */
export function createTask<Result extends SpeechTask>(
  context: ClientContext,
  request: () => ApiRequest | Promise<ApiRequest>,
  options: CallOptions,
): Call<TaskHandle<Result>> {
  return new Call(async () => {
    const start = context.api.clock.now()
    const { data, response } = await context.api.answer<TaskCreation>(request, options)
    return { data: new TaskHandle<Result>(data, context, options, start), response }
  })
}
