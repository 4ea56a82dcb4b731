import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ArgumentsHost } from '@nestjs/common'

/** What Express hands out is Node's own; Fastify keeps Node's own in `raw`. */
type Wrapping<Native> = Native & { readonly raw?: Native }

/** Node's request, on Express and on Fastify. */
export function nativeRequest(host: ArgumentsHost): IncomingMessage {
  const request = host.switchToHttp().getRequest<Wrapping<IncomingMessage>>()
  return request.raw ?? request
}

/** Node's response, on Express and on Fastify. */
export function nativeResponse(host: ArgumentsHost): ServerResponse {
  const response = host.switchToHttp().getResponse<Wrapping<ServerResponse>>()
  return response.raw ?? response
}
