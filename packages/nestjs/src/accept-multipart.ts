import type { HttpAdapterHost } from '@nestjs/core'

const MULTIPART = 'multipart/form-data'

/** What is used of a Fastify instance, so that Fastify itself need not be there. */
interface FastifyLike {
  hasContentTypeParser(contentType: string): boolean
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: () => void) => void,
  ): void
  addHook(name: 'onReady', hook: () => Promise<void>): void
}

/**
 * Lets Fastify hand multipart requests on unread; without any parser for them it answers 415 by itself. One that is
 * there, such as `@fastify/multipart`, stays: it leaves the body unread too until somebody asks it for parts.
 *
 * It is decided when every plugin has loaded, since a parser of the same type that comes later would fail.
 * @throws what Fastify throws when it is running already and no parser is there
 */
export function acceptMultipart({ httpAdapter }: HttpAdapterHost): void {
  if (httpAdapter.getType() !== 'fastify') return
  const fastify = httpAdapter.getInstance<FastifyLike>()
  if (fastify.hasContentTypeParser(MULTIPART)) return
  fastify.addHook('onReady', async () => {
    if (fastify.hasContentTypeParser(MULTIPART)) return
    fastify.addContentTypeParser(MULTIPART, (_request, _payload, done) => done())
  })
}
