import { createHash, timingSafeEqual } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** Whether a `Host` header names one of the hosts, with any port: a page that rebinds its name to this machine does not. */
export function isAllowedHost(header: string | undefined, hosts: readonly string[]): boolean {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:@/\s]+)(?::\d+)?$/i.exec(header ?? '') ?? []
  return name !== undefined && hosts.includes(name.toLowerCase())
}

/** Whether an `Origin` header is absent, as programs send it, or of an allowed host, or a listed origin. */
export function isAllowedOrigin(
  header: string | undefined,
  hosts: readonly string[],
  origins: readonly string[] = [],
): boolean {
  if (header === undefined || origins.includes(header)) return true
  const url = URL.canParse(header) ? new URL(header) : undefined
  return url !== undefined && hosts.includes(url.hostname)
}

/** Whether a request carries the token. Takes the same time for any wrong one. */
export function sameToken(authorization: string | undefined, token: string): boolean {
  return timingSafeEqual(digest(bearerToken(authorization) ?? ''), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** The token of an `Authorization` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
}

/** Answers with an error of the protocol. @param challenge Of a 401, for `WWW-Authenticate`. */
export function refuse(response: ServerResponse, status: number, message: string, challenge = 'Bearer'): void {
  const headers = { 'content-type': 'application/json', ...(status === 401 ? { 'www-authenticate': challenge } : {}) }
  response.writeHead(status, headers)
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}
