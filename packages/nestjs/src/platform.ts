import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ArgumentsHost, type ExecutionContext, Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { ConfigurationError } from '@svc-audio/core'
import { discardUnread } from '@svc-audio/upload'
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
  addHook(name: 'onSend', hook: (request: unknown, reply: { readonly raw: ServerResponse }) => Promise<void>): void
}

/** Nest's type is never null. The value is null without an HTTP server. */
function adapterOf(host: HttpAdapterHost): HttpAdapterHost['httpAdapter'] | null | undefined {
  return host.httpAdapter
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
  const httpAdapter = adapterOf(host)
  if (httpAdapter?.getType() !== 'fastify') return
  const fastify = httpAdapter.getInstance<FastifyLike>()
  if (fastify.hasContentTypeParser(MULTIPART)) return
  fastify.addHook('onReady', async () => {
    if (fastify.hasContentTypeParser(MULTIPART)) return
    fastify.addContentTypeParser(MULTIPART, (_request, _payload, done) => done())
  })
}

/**
 * Lets refusals of guards arrive behind a proxy, those of Passport and of a throttler too: when a response ends before its
 * body was read, the rest of the body is discarded.
 */
@Injectable()
export class UnreadUploads implements OnModuleInit {
  readonly #host: HttpAdapterHost

  constructor(@Inject(HttpAdapterHost) host: HttpAdapterHost) {
    this.#host = host
  }

  onModuleInit(): void {
    const httpAdapter = adapterOf(this.#host)
    // In front of everything else, on both platforms. Testing modules may have no server.
    const server: EventEmitter | undefined = httpAdapter?.getHttpServer()
    server?.prependListener('request', (_request, response: ServerResponse) => discardUnread(response))
    // Fastify adds a server for each further address of `localhost`.
    if (httpAdapter?.getType() !== 'fastify') return
    httpAdapter.getInstance<FastifyLike>().addHook('onSend', async (_request, reply) => discardUnread(reply.raw))
  }
}
