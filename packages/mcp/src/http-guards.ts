import { createHash, timingSafeEqual } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** Whether a `Host` header names one of the hosts, with any port: a page that rebinds its name to this machine does not. */
export function isAllowedHost(header: string | undefined, hosts: readonly string[]): boolean {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:@/\s]+)(?::\d+)?$/i.exec(header ?? '') ?? []
  return name !== undefined && hosts.includes(name.toLowerCase())
}

/** Whether an `Origin` header is absent, as programs send it, or of an allowed host. */
export function isAllowedOrigin(header: string | undefined, hosts: readonly string[]): boolean {
  if (header === undefined) return true
  const url = URL.canParse(header) ? new URL(header) : undefined
  return url !== undefined && hosts.includes(url.hostname)
}

/** Whether a request carries the token. Takes the same time for any wrong one. */
export function sameToken(authorization: string | undefined, token: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? []
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Answers with an error of the protocol. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': 'application/json', ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}) }
  response.writeHead(status, headers)
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}
