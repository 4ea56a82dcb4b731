import { checkVoiceList } from '../checks/voices.ts'
import type { Api } from '../transport/api.ts'
import type { CallOptions } from '../transport/call-options.ts'
import { withQuery } from '../transport/query.ts'
import type { VoiceList, VoiceListQuery } from '../wire/voices.ts'

/** Voices (interface: `/v1/audio/voices`). */
export class VoicesResource {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * One page of the voices of this tenant.
   * @throws InvalidRequestError before anything is sent
   */
  async list(query: VoiceListQuery = {}, options?: CallOptions): Promise<VoiceList> {
    checkVoiceList(query)
    return this.#api.json({ method: 'GET', path: withQuery('/v1/audio/voices', query) }, options)
  }
}
