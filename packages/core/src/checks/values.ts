/** Whether a value is an integer within bounds, both included. */
export function isInteger(value: unknown, min: number, max: number = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
}

/** Parses an http or https URL, absolute or relative to `base`. Returns `undefined` for anything else. */
export function httpUrl(value: unknown, base?: string): URL | undefined {
  const url = typeof value === 'string' && URL.canParse(value, base) ? new URL(value, base) : undefined
  return /^https?:/.test(url?.href ?? '') ? url : undefined
}
