import type { JsonObject } from '../../ports/task-store.ts'

/**
 * Parses an object that this service wrote to a column.
 * @throws SyntaxError or TypeError when the column holds anything else
 */
export function readObject(column: string): JsonObject {
  const value: unknown = JSON.parse(column)
  if (!isObject(value)) throw new TypeError('The JSON of a column must be an object')
  return value
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
