import type { VoiceGenerationRequest } from '../wire/voices.ts'
import { AudioResource } from './audio-resource.ts'
import type { ClientContext } from './context.ts'
import type { Forbid } from './forbid.ts'

/** Body of {@link VoiceGenerationsResource.create} and {@link VoiceGenerationsResource.createUrl}. */
export type VoiceGenerationBody = Omit<VoiceGenerationRequest, 'async' | 'delivery_method' | 'webhook_url'> &
  Forbid<'async' | 'delivery_method' | 'webhook_url'>

/** Body of {@link VoiceGenerationsResource.createTask}. `async` has one possible value and is filled in. */
export type VoiceGenerationTaskBody = Omit<VoiceGenerationRequest, 'async' | 'delivery_method'> & {
  readonly async?: true
} & Forbid<'delivery_method'>

/**
 * Speech in a voice that is described in words (interface: `POST /v1/audio/voice/generations`). It gives audio, no voice
 * id: to keep the voice, pass the audio to `voices.create()`.
 */
export class VoiceGenerationsResource extends AudioResource<VoiceGenerationBody, VoiceGenerationTaskBody> {
  constructor(context: ClientContext) {
    super(context, '/v1/audio/voice/generations')
  }
}
