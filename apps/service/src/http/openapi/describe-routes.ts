import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ErrorAnswer } from './answers.ts'
import { type Operation, OPERATIONS, type OtherAnswer, TAGS } from './operations.ts'

type Transform = typeof jsonSchemaTransform
type Described = ReturnType<Transform>

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'The key or token is missing, unknown, deleted or expired',
  403: 'The account is suspended',
  404: 'No object has that id or name',
  409: 'Another request used the Idempotency-Key, or the first request with it is in flight',
  413: 'The body or file is too large',
  415: 'The media type or audio format is not supported',
  416: 'The range starts after the end',
  429: 'Over a rate limit or a quota; resubmit after Retry-After',
  500: 'The service failed',
  503: 'Unavailable; resubmit after Retry-After',
}

/**
 * Describes every later route as OpenAPI 3.1, from the route's validation schemas. {@link OPERATIONS} describes the
 * answers, because routes do not validate them. `app.swagger()` returns the document.
 */
export async function describeRoutes(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'svc-audio service',
        version,
        description: 'Speech and transcription on your own machine.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // The address that served this description.
      servers: [{ url: '/', description: 'This service' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    },
    exposeHeadRoutes: true,
    convertConstToEnum: false,
    transform: describeRoute,
  })
}

const describeRoute: Transform = (document) => {
  const { route, url, schema } = document
  const operation = OPERATIONS[`${String(route.method)} ${url}`]
  if (operation === undefined) return { schema: { hide: true }, url }
  const { operationId, tag, summary, description, keyed = true } = operation
  const notes = { operationId, summary, description, tags: [tag], security: keyed ? [{ key: [] }] : [] }
  const described = jsonSchemaTransform({
    ...document,
    schema: { ...schema, ...notes, response: answersOf(operation) },
  })
  return operation.bodies === undefined ? described : withBodies(document, described, operation.bodies)
}

/** By status. An object lists integer keys in ascending order. */
function answersOf({
  status = 200,
  answers,
  errors = [],
  others = {},
  keyed = true,
}: Operation): Record<string, unknown> {
  const failing = [...errors, ...(keyed ? [401, 403, 429] : []), 500, 503]
  const body = { 'application/json': ErrorAnswer }
  const all: Record<number, OtherAnswer> = {
    [status]: { description: 'Done', ...(answers === undefined ? {} : { answers }) },
    ...Object.fromEntries(failing.map((code) => [code, { description: ERRORS[code] ?? '', answers: body }])),
    ...others,
  }
  return Object.fromEntries(Object.entries(all).map(([code, answer]) => [code, describeAnswer(answer)]))
}

/** The framework reads `null` as an answer without a body. */
function describeAnswer({ description, answers }: OtherAnswer): unknown {
  return answers === undefined ? z.null().describe(description) : { description, content: contentOf(answers) }
}

function contentOf(schemas: Readonly<Record<string, z.ZodType>>): Record<string, { readonly schema: z.ZodType }> {
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]))
}

/** The framework knows one body for each route. Here a route has one for each media type. */
function withBodies(
  document: Parameters<Transform>[0],
  described: Described,
  bodies: Readonly<Record<string, z.ZodType>>,
): Described {
  const content = Object.entries(bodies).map(([type, body]) => {
    const { schema } = jsonSchemaTransform({ ...document, schema: { body } })
    return [type, { schema: schema.body }]
  })
  return { ...described, schema: { ...described.schema, body: { content: Object.fromEntries(content) } } }
}
