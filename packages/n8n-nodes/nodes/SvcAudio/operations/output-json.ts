import type { IDataObject } from 'n8n-workflow'
import { isoDate } from './lists.ts'
import { expiryOf } from './expiry.ts'

/** Times of the wire, in Unix seconds (interface: Resources and their fields). */
const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at'])

/**
 * An object of the service as an item: names in camel case, as everywhere in the output of the node, times as ISO dates,
 * and when its URL expires.
 */
export function outputJson(object: object): IDataObject {
  const entries = Object.entries(object).map(([name, value]: [string, unknown]) => [
    name === 'filename' ? 'fileName' : name.replaceAll(/_([a-z])/g, (_found, letter: string) => letter.toUpperCase()),
    TIMES.has(name) && typeof value === 'number' ? isoDate(value) : value,
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was JSON
  return { ...(Object.fromEntries(entries) as IDataObject), ...expiryOf(Reflect.get(object, 'url')) }
}
