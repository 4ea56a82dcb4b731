import type { CallOptions, PureAudioClient } from '@svc-audio/core/pure'
import { type IExecuteFunctions, type INodeProperties, NodeConnectionTypes } from 'n8n-workflow'
import { createAudioClient, type N8nAudioClient } from '../client/audio-client.ts'
import { ItemForm } from '../form/item-form.ts'

/** One item of the input while an operation handles it. */
export class Item {
  readonly context: IExecuteFunctions
  readonly index: number
  readonly form: ItemForm
  /** Aborts when the run is stopped, or when another item has ended it. */
  readonly signal: AbortSignal
  #client: Promise<N8nAudioClient> | undefined

  constructor(context: IExecuteFunctions, index: number, fields: readonly INodeProperties[], signal: AbortSignal) {
    this.context = context
    this.index = index
    this.form = new ItemForm(context, index, fields)
    this.signal = signal
  }

  /**
   * The client for the node's credentials, with the options of this item.
   * @throws ConfigurationError when the credentials hold no usable address or key
   */
  async audio(): Promise<PureAudioClient> {
    const { audio } = await this.client()
    return audio
  }

  /** The client and its transport. */
  client(): Promise<N8nAudioClient> {
    const { form } = this
    this.#client ??= createAudioClient(this.context, {
      timeout: form.milliseconds('options.timeout'),
      retries: form.whole('options.retries'),
      repeats: form.boolean('options.retryAmbiguous'),
    })
    return this.#client
  }

  /** Options of a call that is not billed. */
  get call(): CallOptions {
    return { signal: this.signal }
  }

  /**
   * Options of a billable call. All tries carry one idempotency key, so that a service that knows such keys does the work
   * once.
   */
  get billableCall(): CallOptions {
    const retryAmbiguous = this.form.boolean('options.retryAmbiguous') ?? false
    return { signal: this.signal, retryAmbiguous, idempotencyKey: crypto.randomUUID() }
  }

  /**
   * Whether an AI agent called the node as its tool. Agents that run their tools inside the workflow engine are told by
   * where the log goes: `isToolExecution()` is false there.
   */
  get isToolCall(): boolean {
    const { context } = this
    // n8n 2.0 has no isToolExecution()
    const isTool = 'isToolExecution' in context && context.isToolExecution()
    return isTool || context.getNode().rewireOutputLogTo === NodeConnectionTypes.AiTool
  }
}
