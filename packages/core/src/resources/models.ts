import type { Api } from '../transport/api.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { ModelList } from '../wire/models.ts'

/** Models (interface: `GET /v1/models`). */
export class ModelsResource {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** The models available to this tenant. */
  list(options?: CallOptions): Promise<ModelList> {
    return this.#api.json({ method: 'GET', path: '/v1/models' }, options)
  }
}
