import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { REFERENCE_STYLE, renderReference } from '../http/openapi/render-reference.ts'

/**
 * `GET /openapi.json`, and `GET /docs` as a page. The page is rendered here and loads no scripts and nothing from
 * other hosts. `GET /` redirects to it.
 */
export function referenceRoutes(app: FastifyInstance): void {
  const style = createHash('sha256').update(REFERENCE_STYLE).digest('base64')
  // Relative: it also works behind a proxy with a path prefix.
  app.get('/', (_request, reply) => reply.redirect('docs', 302))
  app.get('/openapi.json', () => app.swagger())
  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'`)
      .header('x-content-type-options', 'nosniff')
      .send(renderReference(app.swagger())),
  )
}
