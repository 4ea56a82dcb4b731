import { toText } from './coerce.ts'

/**
 * The rows of a fixed collection, or the array that an expression gave in its place.
 * @param group Name of the group of the collection.
 */
export function rowsOf(value: unknown, group: string): unknown[] {
  const found: unknown =
    typeof value === 'object' && value !== null && group in value ? Reflect.get(value, group) : value
  return Array.isArray(found) ? found : []
}

/** A text of a row. Empty for what is no text: the check of the request then names it. */
export function rowText(row: unknown, field: string): string {
  return typeof row === 'object' && row !== null ? (toText(Reflect.get(row, field)) ?? '') : ''
}
