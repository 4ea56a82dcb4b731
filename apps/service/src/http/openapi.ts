import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import {
  type DescribedResponse,
  type EndpointDescription,
  ErrorResponse,
  OpenaiErrorResponse,
  TAGS,
} from './endpoint.ts'
import { nameSchemas } from './named-schemas.ts'

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
 * Describes every later route as OpenAPI 3.1, from its endpoint module. `app.swagger()` returns the document.
 * @param without Tags of endpoints that are switched off. @default none
 * @throws TypeError at a later route without an endpoint module
 */
export async function describeRoutes(
  app: FastifyInstance,
  version: string,
  without: readonly string[] = [],
): Promise<void> {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.endpoint !== undefined) return
    throw new TypeError(
      `${String(method)} ${url} has no endpoint module: define it in src/endpoints with defineEndpoint`,
    )
  })
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
      tags: Object.entries(TAGS)
        .filter(([name]) => !without.includes(name))
        .map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    },
    exposeHeadRoutes: true,
    convertConstToEnum: false,
    transform: describeRoute,
    // The document is OpenAPI 3: `describeRoutes` says so.
    transformObject: (document) => nameSchemas('openapiObject' in document ? document.openapiObject : {}),
  })
}

const describeRoute: Transform = (document) => {
  const { route, url, schema } = document
  const endpoint = route.config?.endpoint
  // The framework adds a HEAD route to each GET, with the same module.
  if (endpoint === undefined || endpoint.method !== route.method || endpoint.isHidden === true) {
    return { schema: { hide: true }, url }
  }
  const { operationId, tag, summary, description, access } = endpoint
  const notes = { operationId, summary, description, tags: [tag], security: access === 'key' ? [{ key: [] }] : [] }
  const described = jsonSchemaTransform({
    ...document,
    schema: { ...schema, ...notes, response: responsesOf(endpoint) },
  })
  return withBodies(document, described, endpoint)
}

/** By status. An object lists integer keys in ascending order. */
function responsesOf({
  status = 200,
  content,
  errors = [],
  others = {},
  access,
  door,
}: EndpointDescription): Record<string, unknown> {
  // An endpoint that is open to all neither asks a store nor refuses anybody, unless it says so.
  const common = access === 'open' ? [] : access === 'link' ? [500, 503] : [401, 403, 429, 500, 503]
  const failing = [...errors, ...common]
  const body = { 'application/json': door === 'openai' ? OpenaiErrorResponse : ErrorResponse }
  const all: Record<number, DescribedResponse> = {
    [status]: { description: 'Done', ...(content === undefined ? {} : { content }) },
    ...Object.fromEntries(failing.map((code) => [code, { description: ERRORS[code] ?? '', content: body }])),
    ...others,
  }
  return Object.fromEntries(Object.entries(all).map(([code, response]) => [code, describeResponse(response)]))
}

/** The framework reads `null` as a response without a body. */
function describeResponse({ description, content }: DescribedResponse): unknown {
  if (content === undefined) return z.null().describe(description)
  return {
    description,
    content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
  }
}

/** The framework knows one body for each route. Here a route has one for each media type, with the operation's name. */
function withBodies(
  document: Parameters<Transform>[0],
  described: Described,
  { operationId, bodies, examples }: EndpointDescription,
): Described {
  const given =
    bodies ?? (document.schema?.body === undefined ? undefined : { 'application/json': document.schema.body })
  if (given === undefined) return described
  const title = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Body`
  const content = Object.entries(given).map(([type, body]) => {
    const { schema } = jsonSchemaTransform({ ...document, schema: { body } })
    return [
      type,
      { schema: { ...Object(withoutNull(schema.body)), title, ...(examples === undefined ? {} : { examples }) } },
    ]
  })
  return { ...described, schema: { ...described.schema, body: { content: Object.fromEntries(content) } } }
}

/** A part of a schema, in the document. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
}

/** A schema of a request without `null`, which the service reads as an absent field. Generators of Java do not know it. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object' || value === null) return value
  const { type, anyOf, ...rest }: Schema = value
  const others = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, withoutNull(child)]))
  const types = [type].flat().filter((one) => one !== undefined && one !== 'null')
  const choices = anyOf?.filter((one) => one.type !== 'null').map(withoutNull)
  return {
    ...others,
    ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
    ...(choices === undefined ? {} : choices.length === 1 ? Object(choices[0]) : { anyOf: choices }),
  }
}
