import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'

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

/** Access tokens of an OAuth authorization server. */
export interface HttpAuthOptions {
  /** Address of the endpoint as clients see it, e.g. `https://audio.example.com/mcp`. Tokens must be issued for it. */
  readonly resource: string
  /** Issuers of the authorization servers whose tokens are accepted. */
  readonly authorizationServers: readonly string[]
  /** Scopes that clients should ask for. @default none */
  readonly scopes?: readonly string[]
  /**
   * Checks issuer, audience, expiry and scopes of a token. The result reaches `forRun` as `authInfo`.
   * @returns `undefined` for a token that is not accepted
   */
  readonly verifyToken: (token: string) => Promise<AuthInfo | undefined>
}

const METADATA = '/.well-known/oauth-protected-resource'

/** A request whose token was checked. The transports of the SDK read `auth`. */
interface AuthenticatedRequest extends IncomingMessage {
  auth?: AuthInfo
}

/** Serves the metadata of the protected resource (RFC 9728). @returns Whether the request was for it */
export function serveMetadata(
  { url = '', method }: IncomingMessage,
  response: ServerResponse,
  auth: HttpAuthOptions | undefined,
): boolean {
  const path = url.split('?', 1)[0]
  if (auth === undefined || method !== 'GET' || (path !== METADATA && path !== `${METADATA}/mcp`)) return false
  const { resource, authorizationServers, scopes } = auth
  const metadata = {
    resource,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    resource_name: 'svc-audio',
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
  }
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=3600' })
  response.end(JSON.stringify(metadata))
  return true
}

/** Checks the token of a request. @returns `false` if it was refused */
export async function authenticate(
  request: AuthenticatedRequest,
  response: ServerResponse,
  { token, auth }: { readonly token: string | undefined; readonly auth: HttpAuthOptions | undefined },
): Promise<boolean> {
  const { authorization } = request.headers
  if (auth !== undefined) return authenticateByOAuth(request, response, auth)
  if (token === undefined || sameToken(authorization, token)) return true
  refuse(response, 401, 'Send Authorization: Bearer <token>')
  return false
}

async function authenticateByOAuth(
  request: AuthenticatedRequest,
  response: ServerResponse,
  { resource, scopes, verifyToken }: HttpAuthOptions,
): Promise<boolean> {
  const given = bearerToken(request.headers.authorization)
  const info = given === undefined ? undefined : await verifyToken(given).catch(() => undefined)
  if (info !== undefined) {
    request.auth = info
    return true
  }
  const challenge = [
    `resource_metadata="${new URL(`${METADATA}/mcp`, resource).href}"`,
    ...(scopes === undefined ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(given === undefined ? [] : ['error="invalid_token"']),
  ]
  const message = given === undefined ? 'Send Authorization: Bearer <token>' : 'The token is not accepted'
  refuse(response, 401, message, `Bearer ${challenge.join(', ')}`)
  return false
}

const ALLOWED = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id',
  'access-control-max-age': '600',
}

/**
 * Lets pages of listed origins read the answers.
 * @returns Whether the request was a preflight, which is answered then.
 */
export function allowCors(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): boolean {
  const { origin } = request.headers
  if (origins.length > 0) response.setHeader('vary', 'origin')
  if (origin === undefined || !origins.includes(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate')
  if (request.method !== 'OPTIONS') return false
  response.writeHead(204, ALLOWED).end()
  return true
}
