import type { VoiceGenerationModel } from '../wire/models.ts'
import type { VoiceGenerationRequest } from '../wire/voices.ts'
import { AudioResource } from './audio-resource.ts'
import type { ClientContext } from './context.ts'
import type { Without } from './without.ts'

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
