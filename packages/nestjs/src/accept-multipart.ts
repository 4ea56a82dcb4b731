import type { HttpAdapterHost } from '@nestjs/core'

const MULTIPART = 'multipart/form-data'

/** The used part of a Fastify instance. Fastify itself need not be installed. */
interface FastifyLike {
  hasContentTypeParser(contentType: string): boolean
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: () => void) => void,
  ): void
  addHook(name: 'onReady', hook: () => Promise<void>): void
}

/**
 * Makes Fastify pass multipart bodies unread. Without a parser for this type, Fastify answers 415. An existing parser, such
 * as `@fastify/multipart`, stays: it reads the body only on request.
 *
 * The parser is added after all plugins have loaded, because a second parser of the same type throws.
 *
 * Does nothing on Express and without an HTTP server: in application contexts, microservices, and testing modules without
 * `createNestApplication()`.
 *
 * @throws Fastify's error when it already runs without a parser
 */
export function acceptMultipart(host: HttpAdapterHost): void {
  // Null without an HTTP server, against its type.
  const httpAdapter = host.httpAdapter as HttpAdapterHost['httpAdapter'] | null | undefined
  if (httpAdapter?.getType() !== 'fastify') return
  const fastify = httpAdapter.getInstance<FastifyLike>()
  if (fastify.hasContentTypeParser(MULTIPART)) return
  fastify.addHook('onReady', async () => {
    if (fastify.hasContentTypeParser(MULTIPART)) return
    fastify.addContentTypeParser(MULTIPART, (_request, _payload, done) => done())
  })
}
