import { z } from 'zod'
import { defineEndpoint, json, named } from '../../http/endpoint.ts'

/** `GET /openapi.json`. */
export const READ_DESCRIPTION = defineEndpoint({
  method: 'GET',
  path: '/openapi.json',
  operationId: 'readDescription',
  tag: 'service',
  summary: 'This description',
  description: 'OpenAPI 3.1, from the schemas that check the requests.',
  rules: { page: 'apps/service/docs/operations.md' },
  access: 'open',
  content: json(
    named(
      'OpenapiDocument',
      z.object({
        openapi: z.string(),
        info: z.record(z.string(), z.unknown()),
        servers: z.array(z.record(z.string(), z.unknown())),
        tags: z.array(z.record(z.string(), z.unknown())),
        paths: z.record(z.string(), z.unknown()),
        components: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
  handle:
    ({ document }) =>
    () =>
      document(),
})
