/**
 * An expression gives text where the form gives a number, a switch or a list. Each function returns `undefined` for a
 * value that cannot be meant.
 */

/** A finite number, or the text of one. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** `true`, `false`, 1, 0 or the text of one of them. */
export function toBoolean(value: unknown): boolean | undefined {
  const text = String(value).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** A text or a number. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** A list of texts: an array, the JSON of one, or texts separated by commas, semicolons or line breaks. */
export function toList(value: unknown): string[] | undefined {
  const items = Array.isArray(value) ? value : splitList(toText(value))
  const texts = items?.map(toText)
  if (texts === undefined || texts.includes(undefined)) return undefined
  return texts.map((text) => text?.trim() ?? '').filter((text) => text !== '')
}

function splitList(text: string | undefined): unknown[] | undefined {
  if (text === undefined) return undefined
  return text.trim().startsWith('[') ? parseArray(text) : text.split(/[,;\n]/)
}

/** The array that a JSON text holds. */
export function parseArray(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
