/** A number, a time or a flag that was written as a string. */
const PLAIN = /^(?:[-+]?\d[\d.,_]{0,8} ?[a-z%]{0,3}|true|false|yes|no|on|off)$/i

/**
 * Describes a value for a message: a number or flag itself, also as a string. Any other string only as such, because it may
 * be a secret.
 */
export function kind(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string' && PLAIN.test(value)) return `'${value}'`
  if (typeof value === 'string') return value.trim() === '' ? 'an empty string' : 'a string'
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`
}
