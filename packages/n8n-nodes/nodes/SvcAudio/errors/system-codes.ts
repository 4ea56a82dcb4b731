/** The codes of an error and of what it wraps. n8n keeps the code of a system error in `httpCode`. */
export function systemCodes(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return []
  const own = ['code', 'httpCode'].map((field): unknown => Reflect.get(error, field))
  const named = own.filter((code): code is string => typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code))
  return [...named, ...systemCodes(Reflect.get(error, 'cause'), depth + 1)]
}
