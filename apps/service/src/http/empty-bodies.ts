import { Readable } from 'node:stream'
import type { FastifyInstance, preParsingHookHandler } from 'fastify'

/**
 * Lets the later routes of this scope read the body of a request that announces none, as an empty one. The HTTP
 * listener starts such a request with an ended body, and the framework's parser would wait for its end for ever.
 */
export function readEmptyBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // The framework reads no body of other methods.
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preParsing = [replaceEnded, route.preParsing ?? []].flat()
  })
}

const replaceEnded: preParsingHookHandler = ({ raw }, _reply, payload, done) => {
  done(null, raw.readableEnded ? Readable.from([]) : payload)
}
