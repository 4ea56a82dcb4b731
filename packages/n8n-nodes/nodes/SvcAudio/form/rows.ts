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

/** A text of a row, or the id of a resource locator. Empty for what is neither: the check of the request then names it. */
export function rowText(row: unknown, field: string): string {
  const value = fieldOf(row, field)
  const isLocator = fieldOf(value, '__rl') === true
  return toText(isLocator ? fieldOf(value, 'value') : value) ?? ''
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
}
