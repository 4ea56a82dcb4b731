import type { VoiceGenerationRequest } from '../wire/voices.ts'
import { AudioResource } from './audio-resource.ts'
import type { ClientContext } from './context.ts'
import type { Without } from './without.ts'

/** Body of {@link VoiceGenerationsResource.create} and {@link VoiceGenerationsResource.createUrl}. */
export type VoiceGenerationBody = Omit<VoiceGenerationRequest, 'async' | 'delivery_method' | 'webhook_url'> &
  Without<'async' | 'delivery_method' | 'webhook_url'>

/** Body of {@link VoiceGenerationsResource.createTask}. `async` has one possible value and is filled in. */
export type VoiceGenerationTaskBody = Omit<VoiceGenerationRequest, 'async' | 'delivery_method'> & {
  readonly async?: true
} & Without<'delivery_method'>

/**
 * Speech in a voice that is described in words (interface: `POST /v1/audio/voice/generations`). It gives audio, no voice
 * id: to keep the voice, pass the audio to `voices.create()`.
 */
export class VoiceGenerationsResource extends AudioResource<VoiceGenerationBody, VoiceGenerationTaskBody> {
  constructor(context: ClientContext) {
    super(context, '/v1/audio/voice/generations')
  }
}
