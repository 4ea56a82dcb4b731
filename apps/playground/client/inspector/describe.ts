import { curlCommand, curlJson } from '../code/client-code.ts'
import type { Exchange } from './exchange.ts'

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

/**
 * A command that sends a request again, with the key from the environment. It leaves out an idempotency key: the service
 * would repeat the first response.
 * @returns `undefined` for a form and for a long body, which the inspector does not store whole
 */
export function exchangeCurl({ method, path, requestBody }: Exchange): string | undefined {
  const parts = method === 'GET' || (method === 'POST' && requestBody !== undefined) ? [] : [`--request ${method}`]
  if (requestBody === undefined) return `${curlCommand(path, parts)}\n`
  const body = jsonObject(requestBody)
  return body === undefined ? undefined : curlJson(path, body, parts)
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The requests of a panel as a HAR 1.2 file, oldest first. It has no key. It has what the inspector stores: the start of a
 * long text, no audio, and the data of events.
 * @param origin Address of the playground
 */
export function harOf(exchanges: readonly Exchange[], origin: string): string {
  const entries = exchanges.toReversed().map((exchange) => entryOf(exchange, origin))
  const log = { version: '1.2', creator: { name: 'svc-audio playground', version: '1' }, entries }
  return `${JSON.stringify({ log }, undefined, 2)}\n`
}

function entryOf(exchange: Exchange, origin: string): object {
  const { method, path, began, requestHeaders, requestBody, status, responseHeaders, bytes } = exchange
  const { headersMs = 0, endMs = headersMs, error } = exchange
  const url = new URL(`/api${path}`, origin)
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  const mimeType = requestHeaders['content-type'] ?? ''
  return {
    startedDateTime: began.toISOString(),
    time: endMs,
    request: {
      ...common,
      method,
      url: url.href,
      headers: pairs(Object.entries(requestHeaders)),
      queryString: pairs(url.searchParams),
      bodySize: -1,
      ...(requestBody === undefined ? {} : { postData: { mimeType, text: requestBody } }),
    },
    response: {
      ...common,
      status: status ?? 0,
      statusText: '',
      headers: pairs(Object.entries(responseHeaders)),
      redirectURL: '',
      bodySize: bytes,
      content: { size: bytes, mimeType: responseHeaders['content-type'] ?? '', text: textOf(exchange) },
    },
    cache: {},
    timings: { send: 0, wait: headersMs, receive: Math.max(0, endMs - headersMs) },
    ...(error === undefined ? {} : { comment: error }),
  }
}

function textOf({ responseBody, events }: Exchange): string {
  return events.length === 0 ? responseBody : events.map(({ data }) => `data: ${data}\n\n`).join('')
}

function pairs(entries: Iterable<readonly [string, string]>): object[] {
  return Array.from(entries, ([name, value]) => ({ name, value }))
}
