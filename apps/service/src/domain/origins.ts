/** A scheme and a host with an optional port, as a browser sends it in `Origin`. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/(?:[^\s/?#@,:[\]]+|\[[\da-f:.]+\])(?::\d{1,5})?$/

/**
 * Reads the origins of pages: `https://app.example.com`, `http://localhost:5173`.
 * @throws RangeError naming the entry that is not an origin
 */
export function readOrigins(entries: readonly string[]): string[] {
  return entries.map((entry) => {
    const origin = originOf(entry.toLowerCase().replace(/\/$/, ''))
    if (origin !== undefined) return origin
    const remedy = entry === '*' ? 'list each origin, because a key in a page is public' : 'as https://app.example.com'
    throw new RangeError(`must be origins of pages, ${remedy}, got ${JSON.stringify(entry.slice(0, 100))}`)
  })
}

/** The origin as a browser sends it: without the default port, and with an ASCII host. */
function originOf(text: string): string | undefined {
  if (!ORIGIN.test(text)) return undefined
  if (!/^https?:/.test(text)) return text
  return URL.canParse(text) ? new URL(text).origin : undefined
}
