import { httpUrl } from '../checks/values.ts'
import type { RequestBody, TransportResponse } from './transport.ts'

const encoder = new TextEncoder()

/** Creates a JSON body. */
export function jsonBody(value: object): RequestBody {
  const bytes = encoder.encode(JSON.stringify(value))
  return { contentType: 'application/json', contentLength: bytes.byteLength, open: () => bytes }
}

/** An address without its query, for logs and errors. */
export function withoutQuery(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** The target of a redirect. Only HTTP and HTTPS are followed, and never HTTPS to HTTP. */
export function redirectTarget({ status, headers: { location } }: TransportResponse, from: string): string | undefined {
  const target = status < 300 || status > 399 ? undefined : httpUrl(location, from)
  return target?.protocol === 'https:' || from.startsWith('http:') ? target?.href : undefined
}
