import { checkDialogue } from '../checks/dialogue.ts'
import type { AudioBody } from '../streaming/audio-body.ts'
import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { DialogueRequest } from '../wire/dialogue.ts'
import type { SpeechResult } from '../wire/speech.ts'
import type { SpeechTask } from '../wire/tasks.ts'
import { AudioOutcomes } from './audio-outcomes.ts'
import type { ClientContext } from './context.ts'
import type { Forbid } from './forbid.ts'
import type { TaskHandle } from './task-handle.ts'

/** Body of {@link DialogueResource.create} and {@link DialogueResource.createUrl}. */
export type DialogueCreateBody = Omit<DialogueRequest, 'async' | 'delivery_method' | 'webhook_url'> &
  Forbid<'async' | 'delivery_method' | 'webhook_url'>

/** Body of {@link DialogueResource.createTask}. `async` has one possible value and is filled in. */
export type DialogueTaskBody = Omit<DialogueRequest, 'async' | 'delivery_method'> & {
  readonly async?: true
} & Forbid<'delivery_method'>

/** Speech of several speakers (interface: `POST /v1/audio/speech/speakers`). */
export class DialogueResource {
  readonly #outcomes: AudioOutcomes<DialogueCreateBody | DialogueTaskBody>

  constructor(context: ClientContext) {
    this.#outcomes = new AudioOutcomes<DialogueCreateBody | DialogueTaskBody>(context, {
      name: 'dialogue',
      path: '/v1/audio/speech/speakers',
      check: checkDialogue,
      text: ({ segments }) => segments.map(({ text }) => text).join('\n'),
    })
  }

  /**
   * A dialogue to audio. Resolves when the audio begins to arrive.
   * @throws InvalidRequestError before anything is sent
   */
  create(body: DialogueCreateBody, options?: CallOptions): Call<AudioBody> {
    return this.#outcomes.audio(body, options)
  }

  /**
   * A dialogue to a URL of the audio, which `audio.download()` fetches.
   * @throws InvalidRequestError before anything is sent
   */
  createUrl(body: DialogueCreateBody, options?: CallOptions): Call<SpeechResult> {
    return this.#outcomes.url(body, options)
  }

  /**
   * A dialogue to a task.
   * @throws InvalidRequestError before anything is sent
   */
  createTask(body: DialogueTaskBody, options?: CallOptions): Call<TaskHandle<SpeechTask>> {
    return this.#outcomes.task(body, options)
  }
}
