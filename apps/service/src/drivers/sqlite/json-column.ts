import type { JsonObject } from '../../ports/task-store.ts'

/**
 * The object in a column, as this service wrote it.
 * @throws SyntaxError or TypeError when it holds anything else
 */
export function readObject(column: string): JsonObject {
  const value: unknown = JSON.parse(column)
  if (!isObject(value)) throw new TypeError('A column that holds an object holds something else')
  return value
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
