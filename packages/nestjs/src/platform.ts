import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ArgumentsHost, ExecutionContext } from '@nestjs/common'
import type { HttpAdapterHost } from '@nestjs/core'
import { ConfigurationError } from '@svc-audio/core'
import { handlerSignal, requestText, type ServerPort } from '@svc-audio/upload/adapter'

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

/** The fields of a request that both platforms share. */
interface HttpRequest {
  readonly query: unknown
  readonly params: unknown
  body: unknown
}

const requestOf = (context: ExecutionContext): HttpRequest => context.switchToHttp().getRequest<HttpRequest>()

/** The parts of a request of a route, on Express and on Fastify. */
export const contextPort: ServerPort<ExecutionContext> = {
  context: (context) => context,
  upload: nativeRequest,
  signal: (context) => handlerSignal(nativeResponse(context)),
  method: (context) => nativeRequest(context).method ?? 'GET',
  path: (context) => (nativeRequest(context).url ?? '').replace(/\?.*/s, ''),
  header: (context, name) => [nativeRequest(context).headers[name]].flat()[0],
  text: (context) => {
    const { body, query } = requestOf(context)
    return requestText({ body, query: Reflect.get(Object(query), 'text') })
  },
  taskId: (context) => String(Reflect.get(Object(requestOf(context).params), 'id') ?? ''),
  setBody: (context, values) => {
    requestOf(context).body = values
  },
}

const MULTIPART = 'multipart/form-data'

/** The methods of Fastify that this file uses. Its own types would require an installed Fastify. */
interface FastifyLike {
  hasContentTypeParser(contentType: string): boolean
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: () => void) => void,
  ): void
  addHook(name: 'onReady', hook: () => Promise<void>): void
}

/**
 * Makes Fastify pass multipart bodies on unread. Without a parser for this type, Fastify answers 415. A parser that
 * exists, such as `@fastify/multipart`, stays: it reads the body only on request.
 *
 * The parser is added after all plugins have loaded, because a second parser of the same type throws.
 *
 * Does nothing on Express, and where there is no HTTP server: application contexts, microservices, and testing modules
 * without `createNestApplication()`.
 *
 * @throws what Fastify throws when it runs already and has no parser
 */
export function acceptMultipart(host: HttpAdapterHost): void {
  // Nest's type is never null. The value is null without an HTTP server.
  const httpAdapter = host.httpAdapter as HttpAdapterHost['httpAdapter'] | null | undefined
  if (httpAdapter?.getType() !== 'fastify') return
  const fastify = httpAdapter.getInstance<FastifyLike>()
  if (fastify.hasContentTypeParser(MULTIPART)) return
  fastify.addHook('onReady', async () => {
    if (fastify.hasContentTypeParser(MULTIPART)) return
    fastify.addContentTypeParser(MULTIPART, (_request, _payload, done) => done())
  })
}
