import { disconnectSignal, requestText, type ServerPort } from '@svc-audio/upload'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The arguments of a route function. */
export interface FastifyExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** The parts of a Fastify request. */
export const fastifyPort: ServerPort<FastifyExchange, FastifyRequest> = {
  context: ({ request }) => request,
  upload: ({ request }) => request.raw,
  signal: ({ reply }) => disconnectSignal(reply.raw),
  method: ({ request }) => request.method,
  path: ({ request }) => request.url.replace(/\?.*/s, ''),
  header: ({ request }, name) => [request.headers[name]].flat()[0],
  text: ({ request: { body, query } }) => requestText({ body, query: property(query, 'text') }),
  taskId: ({ request: { params } }) => {
    const id = property(params, 'id')
    return typeof id === 'string' ? id : ''
  },
  logger: ({ request }) => ({ error: (line) => request.log.error(line) }),
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
