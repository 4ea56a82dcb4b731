import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/call-options.ts'
import type { ModelList } from '../wire/models.ts'
import type { ClientContext } from './context.ts'

/** Models (interface: `GET /v1/models`). */
export class ModelsResource {
  readonly #context: ClientContext

  constructor(context: ClientContext) {
    this.#context = context
  }

  /** Lists the models available to this tenant, on one page. */
  list(options?: CallOptions): Call<ModelList> {
    return this.#context.api.json(() => ({ path: '/v1/models' }), options)
  }
}
