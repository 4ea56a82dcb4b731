/** Whether a value is an integer within bounds, both included. */
export function isInteger(value: unknown, min: number, max: number = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
}

/** Parses an http or https URL, absolute or relative to `base`. Returns `undefined` for anything else. */
export function httpUrl(value: unknown, base?: string): URL | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const url = new URL(value, base)
    return /^https?:$/.test(url.protocol) ? url : undefined
  } catch {
    // Workers with an old compatibility date and React Native have no `URL.canParse`.
    return undefined
  }
}
