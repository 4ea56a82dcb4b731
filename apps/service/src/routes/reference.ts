import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { REFERENCE_STYLE, renderReference } from '../http/openapi/render-reference.ts'

/**
 * `GET /openapi.json`, and `GET /docs` as a page for people: made here, without a script and without anything from
 * elsewhere.
 */
export function referenceRoutes(app: FastifyInstance): void {
  const style = createHash('sha256').update(REFERENCE_STYLE).digest('base64')
  app.get('/openapi.json', () => app.swagger())
  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'`)
      .header('x-content-type-options', 'nosniff')
      .send(renderReference(app.swagger())),
  )
}
