import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ArgumentsHost } from '@nestjs/common'
import { ConfigurationError } from '@svc-audio/core'

/** Express passes Node's objects. Fastify has them in `raw`. */
type Wrapping<Native> = Native & { readonly raw?: Native }

/** Returns Node's request, on Express and on Fastify. */
export function nativeRequest(host: ArgumentsHost): IncomingMessage {
  const request = host.switchToHttp().getRequest<Wrapping<IncomingMessage>>()
  return request.raw ?? request
}

/** Returns Node's response, on Express and on Fastify. */
export function nativeResponse(host: ArgumentsHost): ServerResponse {
  const response = host.switchToHttp().getResponse<Wrapping<ServerResponse>>()
  return response.raw ?? response
}

/**
 * @param needing The interceptor or parameter, for the message.
 * @throws ConfigurationError where there is no HTTP request, as in a microservice
 */
export function assertHttp(host: ArgumentsHost, needing: string): void {
  const type = host.getType()
  if (type !== 'http') throw new ConfigurationError(`${needing} needs an HTTP route, got a handler of type ${type}`)
}
