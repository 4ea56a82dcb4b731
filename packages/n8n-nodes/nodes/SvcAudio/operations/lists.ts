import type { Item } from './item.ts'
import type { ItemOutput } from './operation.ts'

/** How many results the form asks for. */
export function limitOf({ form }: Item): number {
  if (form.boolean('returnAll') === true) return Infinity
  return form.whole('limit', 1) ?? 50
}

/** Each entry of a list as an item, simplified where the form says so. */
export async function listItems<Entry extends object>(
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

/** Unix seconds as an ISO date, which n8n's date nodes read. */
export function isoDate(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
