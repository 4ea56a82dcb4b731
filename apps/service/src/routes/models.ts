import type { FastifyInstance } from 'fastify'
import { listModels } from '../domain/models.ts'

/** `GET /v1/models`. */
export function modelRoutes(app: FastifyInstance): void {
  // The models never change while the program runs.
  const list = JSON.stringify({ object: 'list', data: listModels() })
  app.get('/v1/models', (_request, reply) => reply.type('application/json; charset=utf-8').send(list))
}
