import type { IncomingMessage, ServerResponse } from 'node:http'

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
