import type { Exchange } from './exchange.ts'

/** A header or a parameter in a HAR file. */
interface Pair {
  readonly name: string
  readonly value: string
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

function pairs(entries: Iterable<readonly [string, string]>): Pair[] {
  return Array.from(entries, ([name, value]) => ({ name, value }))
}
