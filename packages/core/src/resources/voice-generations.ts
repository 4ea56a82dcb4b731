import { checkVoiceGeneration } from '../checks/voice-generation.ts'
import type { AudioBody } from '../streaming/audio-body.ts'
import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { SpeechResult } from '../wire/speech.ts'
import type { SpeechTask } from '../wire/tasks.ts'
import type { VoiceGenerationRequest } from '../wire/voices.ts'
import { AudioOutcomes } from './audio-outcomes.ts'
import type { ClientContext } from './context.ts'
import type { Forbid } from './forbid.ts'
import type { TaskHandle } from './task-handle.ts'

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
export class VoiceGenerationsResource {
  readonly #outcomes: AudioOutcomes<VoiceGenerationBody | VoiceGenerationTaskBody>

  constructor(context: ClientContext) {
    this.#outcomes = new AudioOutcomes<VoiceGenerationBody | VoiceGenerationTaskBody>(context, {
      name: 'voiceGenerations',
      path: '/v1/audio/voice/generations',
      check: checkVoiceGeneration,
      text: ({ input }) => input,
    })
  }

  /**
   * Text and instruction to audio. Resolves when the audio begins to arrive.
   * @throws InvalidRequestError before anything is sent
   */
  create(body: VoiceGenerationBody, options?: CallOptions): Call<AudioBody> {
    return this.#outcomes.audio(body, options)
  }

  /**
   * Text and instruction to a URL of the audio, which `audio.download()` fetches.
   * @throws InvalidRequestError before anything is sent
   */
  createUrl(body: VoiceGenerationBody, options?: CallOptions): Call<SpeechResult> {
    return this.#outcomes.url(body, options)
  }

  /**
   * Text and instruction to a task.
   * @throws InvalidRequestError before anything is sent
   */
  createTask(body: VoiceGenerationTaskBody, options?: CallOptions): Call<TaskHandle<SpeechTask>> {
    return this.#outcomes.task(body, options)
  }
}
