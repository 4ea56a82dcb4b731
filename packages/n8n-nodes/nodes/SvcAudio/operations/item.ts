import type { CallOptions, PureAudioClient } from '@svc-audio/core/pure'
import type { IExecuteFunctions, INode, INodeProperties } from 'n8n-workflow'
import {
  type AudioCredentials,
  createAudioClient,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT,
  type N8nAudioClient,
} from '../client/audio-client.ts'
import { CREDENTIAL } from '../client/n8n-transport.ts'
import { ItemForm } from '../form/item-form.ts'

/** One item of the input while an operation handles it. */
export class Item {
  readonly context: IExecuteFunctions
  readonly index: number
  readonly form: ItemForm
  /** Aborts when the run is stopped, or when another item has ended it. */
  readonly signal: AbortSignal
  readonly #began = performance.now()
  readonly #idempotencyKey = crypto.randomUUID()
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
   * Options of the one billable call of an item. All tries carry one idempotency key, so that a service that knows such
   * keys does the work once. The deadline is the one of the item.
   */
  get billableCall(): CallOptions {
    const { form, signal } = this
    const retryAmbiguous = form.boolean('options.retryAmbiguous') ?? false
    const timeout = form.milliseconds('options.timeout') ?? DEFAULT_TIMEOUT
    const left = Math.max(1, Math.round(this.#began + timeout - performance.now()))
    const deadline = timeout === 0 ? {} : { timeout: left }
    return { signal, retryAmbiguous, idempotencyKey: this.#idempotencyKey, ...deadline }
  }

  /** How often the billable call may be made again although the service may have done its work. */
  async repeats(): Promise<number> {
    const { form } = this
    const { idempotencyKeys } = await this.context.getCredentials<AudioCredentials>(CREDENTIAL)
    const isAllowed = form.boolean('options.retryAmbiguous') ?? idempotencyKeys === true
    return isAllowed ? (form.whole('options.retries') ?? DEFAULT_RETRIES) : 0
  }

  /** Whether an AI agent calls the node as its tool. */
  get isToolCall(): boolean {
    return isTool(this.context.getNode())
  }
}

/**
 * Whether a node is a tool of an AI agent. n8n gives tools a type of their own, and shows or hides fields by it. Older
 * releases tell a tool in no other way.
 */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
  return type.endsWith('Tool')
}
