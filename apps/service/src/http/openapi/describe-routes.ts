import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ErrorAnswer } from './answers.ts'
import { type Operation, OPERATIONS, type OtherAnswer } from './operations.ts'

type Transform = typeof jsonSchemaTransform
type Described = ReturnType<Transform>

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is not a valid one',
  401: 'No key or token, or one that is unknown or was deleted',
  404: 'Nothing of that id or name',
  409: 'The Idempotency-Key came before with another request, or its request is still being answered',
  413: 'Larger than is taken',
  415: 'A media type or audio that is not taken',
  416: 'A range behind the end',
  429: 'Over a rate or a quota; Retry-After says when to come again',
  500: 'The fault is ours',
  503: 'Not now; Retry-After says when to come again',
}

/**
 * Describes every route that comes after as OpenAPI 3.1, from the schemas that the routes validate with; what a route
 * answers stands in {@link OPERATIONS}, since answers are not validated as they go out. The document is `app.swagger()`.
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
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    },
    convertConstToEnum: false,
    transform: describeRoute,
  })
}

const describeRoute: Transform = (document) => {
  const { route, url, schema } = document
  const operation = OPERATIONS[`${String(route.method)} ${url}`]
  if (operation === undefined) return { schema: { hide: true }, url }
  const { operationId, tag, summary, keyed = true } = operation
  const notes = { operationId, summary, tags: [tag], security: keyed ? [{ key: [] }] : [] }
  const described = jsonSchemaTransform({
    ...document,
    schema: { ...schema, ...notes, response: answersOf(operation) },
  })
  return operation.bodies === undefined ? described : withBodies(document, described, operation.bodies)
}

/** By status; an object lists these in their order. */
function answersOf({ answers, errors = [], others = {}, keyed = true }: Operation): Record<string, unknown> {
  const failing = [...errors, ...(keyed ? [401, 429] : []), 500, 503]
  const body = { 'application/json': ErrorAnswer }
  const all: Record<number, OtherAnswer> = {
    200: { description: 'Done', answers },
    ...Object.fromEntries(failing.map((code) => [code, { description: ERRORS[code] ?? '', answers: body }])),
    ...others,
  }
  return Object.fromEntries(Object.entries(all).map(([code, answer]) => [code, describeAnswer(answer)]))
}

/** `null` is how the framework is told of an answer without a body. */
function describeAnswer({ description, answers }: OtherAnswer): unknown {
  return answers === undefined ? z.null().describe(description) : { description, content: contentOf(answers) }
}

function contentOf(schemas: Readonly<Record<string, z.ZodType>>): Record<string, { readonly schema: z.ZodType }> {
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]))
}

/** The framework knows one body a route; here it is one for each media type. */
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
