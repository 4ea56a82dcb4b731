import type { FastifyPluginAsync } from 'fastify'
import plugin from 'fastify-plugin'

const MULTIPART = 'multipart/form-data'

const accept: FastifyPluginAsync = async (app) => {
  if (app.hasContentTypeParser(MULTIPART)) return
  app.addContentTypeParser(MULTIPART, (_request, _payload, done) => done(null))
}

/**
 * Plugin that passes multipart bodies on unread, for the handlers of this package. Without it, Fastify answers 415. An
 * existing parser, such as that of `@fastify/multipart`, stays: register that plugin first.
 *
 * @example
 * await app.register(audio)
 */
export const audio: FastifyPluginAsync = plugin(accept, { name: '@svc-audio/fastify', fastify: '5.x' })
