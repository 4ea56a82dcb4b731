import type { Call, CallOptions } from '../transport/index.ts'
import type { ModelList } from '../wire/index.ts'
import { Resource } from './resource.ts'

/** Models (interface: `GET /v1/models`). */
export class ModelsResource extends Resource {
  /** Lists the models available to this tenant, on one page. */
  list(options?: CallOptions): Call<ModelList> {
    return this.context.api.json(() => ({ operation: 'models.list', path: '/v1/models' }), options)
  }
}
