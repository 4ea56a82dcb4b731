import type { DialogueRequest } from '../wire/dialogue.ts'
import type { DialogueModel } from '../wire/models.ts'
import { AudioResource } from './audio-resource.ts'
import type { ClientContext } from './context.ts'
import type { Without } from './without.ts'

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
