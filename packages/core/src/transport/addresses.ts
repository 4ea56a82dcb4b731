import { httpUrl } from '../checks/values.ts'
import type { TransportResponse } from './transport.ts'

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
