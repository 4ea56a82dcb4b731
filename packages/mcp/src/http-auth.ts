import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import { bearerToken, refuse, sameToken } from './http-guards.ts'

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
export interface AuthenticatedRequest extends IncomingMessage {
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
