import type { CallOptions, PureAudioClient } from '@svc-audio/core/pure'
import type { INodeProperties } from 'n8n-workflow'
import { optionsField } from './fields.ts'
import type { Item, ItemOutput, Operation } from './operation.ts'

/** Parts of an operation that {@link getMany} makes. */
export interface GetManyParts<Entry> {
  readonly resource: string
  /** Plural of the resource, in lower case. */
  readonly plural: string
  readonly description: string
  /** The query parameter that filters the list, an option of the form. */
  readonly filter: { readonly name: string; readonly displayName: string; readonly placeholder: string }
  /** Maximum results of a page. */
  readonly limitMax: number
  /** @param filter The value of the option, if any. */
  readonly list: (
    audio: PureAudioClient,
    query: { readonly limit: number; readonly filter: string | undefined },
    call: CallOptions,
  ) => AsyncIterable<Entry>
  /** The entry with **Simplify** on. */
  readonly simplify: (entry: Entry) => object
}

/** Return All and Limit. */
const listFields: readonly INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { returnAll: [false] } },
  },
  {
    displayName: 'Simplify',
    name: 'simplify',
    type: 'boolean',
    default: true,
    description: 'Whether to return a simplified version of the response instead of the raw data',
  },
]

/** Makes the operation **Get Many** of a resource. */
export function getMany<Entry extends object>(parts: GetManyParts<Entry>): Operation {
  const { resource, plural, description, filter } = parts
  const option = {
    ...filter,
    type: 'string',
    default: '',
    description: `Only ${plural} with this ${filter.name}`,
  } as const
  return {
    resource,
    operation: 'getAll',
    name: 'Get Many',
    action: `Get many ${plural}`,
    description,
    fields: [...listFields, optionsField([option], { billable: false })],
    async run(item) {
      const value = item.form.optionalText(`options.${filter.name}`)
      const query = { limit: Math.min(limitOf(item), parts.limitMax), filter: value }
      const audio = await item.audio()
      return listItems(item, parts.list(audio, query, item.call), parts.simplify)
    },
  }
}

/** How many results the form asks for. */
function limitOf({ form }: Item): number {
  if (form.boolean('returnAll') === true) return Infinity
  return form.whole('limit', 1) ?? 50
}

/** Each entry of a list as an item, simplified where the form says so. */
async function listItems<Entry extends object>(
  item: Item,
  entries: AsyncIterable<Entry>,
  simplify: (entry: Entry) => object,
): Promise<ItemOutput[]> {
  const limit = limitOf(item)
  const isSimplified = item.form.boolean('simplify') ?? true
  const outputs: ItemOutput[] = []
  for await (const entry of entries) {
    outputs.push({ json: isSimplified ? simplify(entry) : { ...entry } })
    if (outputs.length >= limit) break
  }
  return outputs
}
