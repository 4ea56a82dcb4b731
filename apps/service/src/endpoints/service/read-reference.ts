import { createHash } from 'node:crypto'
import { z } from 'zod'
import { defineEndpoint } from '../../http/endpoint.ts'
import { REFERENCE_STYLE, renderReference } from '../../http/openapi/render-reference.ts'

const STYLE_HASH = createHash('sha256').update(REFERENCE_STYLE).digest('base64')

/** `GET /docs`: the OpenAPI document as a page, rendered here. */
export const READ_REFERENCE = defineEndpoint({
  method: 'GET',
  path: '/docs',
  operationId: 'readReference',
  tag: 'service',
  summary: 'This reference as a page without scripts',
  description: 'It loads nothing from other hosts.',
  rules: { page: 'apps/service/docs/operations.md' },
  access: 'open',
  content: { 'text/html': z.string() },
  handle:
    ({ document }) =>
    (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'`)
        .header('x-content-type-options', 'nosniff')
        .send(renderReference(document())),
})
