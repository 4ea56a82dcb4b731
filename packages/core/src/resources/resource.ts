import type { ClientContext } from './context.ts'

/** Base of the resources. A client creates each with its context: see `BaseClient`. */
export class Resource {
  readonly #context: ClientContext

  constructor(context: ClientContext) {
    this.#context = context
  }

  /** Shared by the resources of the client. */
  protected get context(): ClientContext {
    return this.#context
  }
}
