import type { CallOptions, PureAudioClient } from '@svc-audio/core/pure'
import type { IBinaryKeyData, IExecuteFunctions, INode, INodeExecutionData, INodeProperties } from 'n8n-workflow'
import {
  createAudioClient,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT,
  type N8nAudioClient,
  readCredentials,
} from '../client/audio-client.ts'
import { ItemForm } from '../form.ts'
import type { NodeRun } from './node-run.ts'

/** One operation of the node: its fields in the form, and what it does with one item. */
export interface Operation {
  readonly resource: string
  /** Value of the field Operation. */
  readonly operation: string
  /** Its name in the field Operation. */
  readonly name: string
  /** Its name in n8n's picker, and the subtitle of the node. */
  readonly action: string
  readonly description: string
  /** Its fields in the form. They are shown where this operation is chosen. */
  readonly fields: readonly INodeProperties[]
  /** Whether one run stands for all items of the input. @default never */
  readonly takesAllItems?: (item: Item) => boolean
  /** Whether a failed item leaves through an error output. @default what the settings of the node say */
  readonly hasErrorOutput?: (item: Item) => boolean
  /**
   * Starts a task if the work on the item is long. The node then waits for it, and {@link Operation.run} is not called.
   * @returns `undefined` if the work is not long
   */
  readonly startLong?: (item: Item) => Promise<LongTask | undefined>
  /** @throws SvcAudioError, FormError or an error of n8n's; the node makes one of n8n's of each */
  run(item: Item): Promise<ItemOutput[]>
}

/** What an operation outputs for one item. */
export interface ItemOutput {
  /** A JSON object: what the service answered, or a part of it. */
  readonly json: object
  readonly binary?: IBinaryKeyData
  /** Which item it comes from. @default the item that the operation handles, or all with {@link Operation.takesAllItems} */
  readonly pairedItem?: INodeExecutionData['pairedItem']
}

/** A task that a node has started by itself, because its work is long. */
export interface LongTask {
  readonly taskId: string
  readonly plan: FinishPlan
  /** Milliseconds that the wait may take. 0 sets no limit. */
  readonly timeout: number
}

/** What is left to do when a task has ended. n8n stores it with the run, so it is JSON. */
export type FinishPlan = AudioPlan | { readonly kind: 'transcript'; readonly settings: TranscriptSettings }

/** What happens to the audio of a task. */
export interface AudioPlan {
  readonly kind: 'audio'
  /** Format that was asked for. */
  readonly format: string
  /** The binary field for the audio. Absent if the URL is output. */
  readonly target?: FileTarget
}

/** Where an output file goes to. */
export interface FileTarget {
  /** Name of the binary field. */
  readonly field: string
  /** Name of the file, as the user chose it, or its default. The ending follows the format. */
  readonly fileName: string
}

/** What the form says about the output of a transcription. */
export interface TranscriptSettings {
  readonly format: string
  /** Names of speakers by their number: `1` for `S01`. */
  readonly names: Readonly<Record<string, string>>
  /** Whether cues name their speakers. */
  readonly speakers?: boolean
  /** Longest line of subtitles. */
  readonly lineLength?: number
  /** Files of the transcript: binary field by format. Empty for a tool. */
  readonly files: Readonly<Record<string, string>>
  /** Name of these files. */
  readonly fileName: string
  /** Stored file to delete afterwards. */
  readonly deleteFile?: string
}

/** What {@link Item} needs beside the context and its index. */
export interface ItemOptions {
  /** Fields of the operation. */
  readonly fields: readonly INodeProperties[]
  /** Aborts when the run is stopped, or when another item has ended it. */
  readonly signal: AbortSignal
  /** What the items of this run share. */
  readonly run: NodeRun
}

/** One item of the input while an operation handles it. */
export class Item {
  readonly context: IExecuteFunctions
  readonly index: number
  readonly form: ItemForm
  /** Aborts when the run is stopped, or when another item has ended it. */
  readonly signal: AbortSignal
  /** What the items of this run share. */
  readonly run: NodeRun
  readonly #began = performance.now()
  readonly #fields: readonly INodeProperties[]
  #idempotencyKey: Promise<string> | undefined
  #client: Promise<N8nAudioClient> | undefined

  constructor(context: IExecuteFunctions, index: number, { fields, signal, run }: ItemOptions) {
    this.context = context
    this.index = index
    this.form = new ItemForm(context, index, fields)
    this.signal = signal
    this.run = run
    this.#fields = fields
  }

  /** The item as it came. */
  get input(): INodeExecutionData {
    return this.context.getInputData()[this.index] ?? { json: {} }
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
  async billableCall(): Promise<CallOptions> {
    const { form, signal } = this
    this.#idempotencyKey ??= this.run.idempotencyKey(this.index, [this.#values(), filesOf(this.input)])
    const idempotencyKey = await this.#idempotencyKey
    const retryAmbiguous = form.boolean('options.retryAmbiguous') ?? false
    const timeout = form.milliseconds('options.timeout') ?? DEFAULT_TIMEOUT
    const left = Math.max(1, Math.round(this.#began + timeout - performance.now()))
    const deadline = timeout === 0 ? {} : { timeout: left }
    return { signal, retryAmbiguous, idempotencyKey, ...deadline }
  }

  /** The values of all fields. Those that the form hides have their default. */
  #values(): unknown[] {
    const names = ['resource', 'operation', ...this.#fields.map(({ name }) => name)]
    return [...new Set(names)].map((name): unknown => [name, this.context.getNodeParameter(name, this.index, '')])
  }

  /** How often the billable call may be made again although the service may have done its work. */
  async repeats(): Promise<number> {
    const { form } = this
    const { idempotencyKeys } = await readCredentials(this.context)
    const isAllowed = form.boolean('options.retryAmbiguous') ?? idempotencyKeys === true
    return isAllowed ? (form.whole('options.retries') ?? DEFAULT_RETRIES) : 0
  }

  /** Whether an AI agent calls the node as its tool. */
  get isToolCall(): boolean {
    return isTool(this.context.getNode())
  }
}

/** What tells the files of an item from others. */
function filesOf({ binary = {} }: INodeExecutionData): unknown[] {
  return Object.entries(binary).map(([field, { id, data, fileName, fileSize }]) => [
    field,
    id ?? data.length,
    fileName,
    fileSize,
  ])
}

/** Whether a node is a tool of an AI agent. n8n gives tools a type of their own, and shows or hides fields by it. */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
  return type.endsWith('Tool')
}
