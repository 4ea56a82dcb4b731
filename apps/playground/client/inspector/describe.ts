/** Shown in place of the key, which only the playground's server has. */
export const HIDDEN_KEY = 'Bearer $SVC_AUDIO_API_KEY'

const MAX_BODY = 20_000

/** Headers that the playground's own server sets. */
const OWN =
  /^(?:connection|keep-alive|transfer-encoding|content-security-policy|cross-origin-.*|referrer-policy|x-content-type-options|x-accel-buffering)$/

/** Headers for the inspector. The page's placeholder of the key becomes the name of its variable. */
export function headersOf(headers: Headers): Record<string, string> {
  const entries = [...headers]
    .filter(([name]) => !OWN.test(name))
    .map(([name, value]) => [name, name === 'authorization' ? HIDDEN_KEY : value])
  return Object.fromEntries(entries)
}

/** Describes the body of a request: JSON with indentation, a form by its size. */
export function describeBody(body: unknown, contentType: string): string | undefined {
  if (body === undefined || body === null) return undefined
  const text = typeof body === 'string' ? body : isJson(contentType, body) ? new TextDecoder().decode(body) : undefined
  if (text !== undefined) return indent(text).slice(0, MAX_BODY)
  const bytes = body instanceof Blob ? body.size : body instanceof Uint8Array ? body.byteLength : undefined
  const kind = contentType.split(';', 1).join('')
  return bytes === undefined ? kind : `${kind}, ${bytes.toLocaleString('en')} bytes`
}

/** Indents JSON. Other text stays as it is. */
export function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** Shortens the audio of an event. */
export function hideAudio(event: string): string {
  return event.replace(
    /("audio"\s*:\s*")([^"]{40})[^"]*"/,
    (_all, start: string, first: string) => `${start}${first}…"`,
  )
}

function isJson(contentType: string, body: unknown): body is Uint8Array<ArrayBuffer> {
  return contentType.startsWith('application/json') && body instanceof Uint8Array
}
