import type { IBinaryKeyData, INodeProperties } from 'n8n-workflow'
import type { LongTask } from '../long-work/plan.ts'
import type { Item } from './item.ts'

/** What an operation outputs for one item; the node adds which item it comes from. */
export interface ItemOutput {
  /** A JSON object: what the service answered, or a part of it. */
  readonly json: object
  readonly binary?: IBinaryKeyData
}

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
  readonly fields: INodeProperties[]
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
