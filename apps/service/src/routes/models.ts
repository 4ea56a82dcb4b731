import type { FastifyInstance } from 'fastify'
import { listModels } from '../domain/models.ts'

/** `GET /v1/models`. */
export function modelRoutes(app: FastifyInstance): void {
  app.get('/v1/models', () => ({ object: 'list', data: listModels() }))
}
