import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { afterAll } from 'vitest'

/**
 * Looks at every answer that a service gives in a test of this process: the OpenAPI document has to name its status.
 * Which statuses a route can answer is seen nowhere else: some come from hooks, some from far below.
 */
const undescribed = new Set<string>()

subscribe('fastify.initialization', (message) => {
  // The channel says so.
  const { fastify } = message as { readonly fastify: FastifyInstance }
  fastify.addHook('onResponse', async (request, { statusCode }) => {
    const described = statusesOf(fastify, request)
    if (described === undefined || described.includes(String(statusCode))) return
    undescribed.add(`${request.method} ${request.routeOptions.url ?? ''} answers ${statusCode}`)
  })
})

afterAll(() => {
  if (undescribed.size === 0) return
  throw new Error(`src/http/openapi/operations.ts leaves out: ${[...undescribed].join(', ')}`)
})

/** The part of the document that is looked at. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>
}

/** @returns `undefined` for what is no endpoint of the service, such as a path that nothing is at */
function statusesOf(app: FastifyInstance, { method, routeOptions }: FastifyRequest): string[] | undefined {
  if (!app.hasDecorator('swagger') || routeOptions.url === undefined) return undefined
  const path = routeOptions.url.replaceAll(/:(\w+)/g, '{$1}')
  const operation = app.getDecorator<() => Document>('swagger')().paths[path]?.[method.toLowerCase()]
  return operation && Object.keys(operation.responses)
}
