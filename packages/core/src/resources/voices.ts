import type { Call, CallOptions } from '../transport/index.ts'
import type { UploadSource } from '../uploads/index.ts'
import type { Voice, VoiceList, VoiceListQuery, VoiceRequest } from '../wire/index.ts'
import { type ListCall, listCall, voicePages } from './lists.ts'
import { Resource, uploadRequest, type Without } from './resource.ts'

/** Body of {@link VoicesResource.create}. */
export type VoiceCreateBody = VoiceRequest & {
  /** The reference audio. A string is a path on this machine. */
  readonly audio_sample: UploadSource
} & Without<'file' | 'file_id' | 'url' | 'audio_url' | 'audio_data'>

const PATH = '/v1/audio/voices'

/** Voices (interface: `/v1/audio/voices`). */
export class VoicesResource extends Resource {
  /**
   * Creates a voice from a sample. Its id is the `voice_id` of speech and dialogue.
   * @throws InvalidRequestError before the request
   */
  create(body: VoiceCreateBody, options?: CallOptions): Call<Voice> {
    return this.context.api.json(() => {
      this.context.check(PATH, body, 'answer')
      const { audio_sample: sample, ...fields } = body
      const request = { operation: 'voices.create', path: PATH, fields, billable: true }
      return uploadRequest(this.context, request, ['audio_sample', sample], options)
    }, options)
  }

  /**
   * Lists the voices of this tenant: one page when awaited, all voices when iterated.
   * @throws InvalidRequestError before the request
   * @throws ProtocolError during the iteration, if a page repeats a voice
   */
  list(query: VoiceListQuery = {}, options?: CallOptions): ListCall<VoiceList, Voice> {
    const { api, check } = this.context
    return listCall(api, { operation: 'voices.list', path: PATH, check, follow: voicePages }, query, options)
  }
}
