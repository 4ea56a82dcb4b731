import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { afterAll } from 'vitest'

/**
 * Checks every response of a service in this process: the OpenAPI document must name its status. Only real responses show
 * all statuses of a route: some come from hooks, some from deep layers.
 */
const undescribed = new Set<string>()

function watch(message: unknown): void {
  // The channel's message has these fields.
  const { fastify } = message as { readonly fastify: FastifyInstance }
  fastify.addHook('onResponse', async (request, { statusCode }) => {
    const described = statusesOf(fastify, request)
    if (described === undefined || described.includes(String(statusCode))) return
    undescribed.add(`${request.method} ${request.routeOptions.url ?? ''} responds with ${statusCode}`)
  })
}

subscribe('fastify.initialization', watch)

afterAll(() => {
  unsubscribe('fastify.initialization', watch)
  if (undescribed.size === 0) return
  throw new Error(`Modules in src/endpoints leave out: ${[...undescribed].join(', ')}`)
})

/** The checked part of the document. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>
}

/** @returns `undefined` for a path outside the service's endpoints */
function statusesOf(app: FastifyInstance, { method, routeOptions }: FastifyRequest): string[] | undefined {
  if (!app.hasDecorator('swagger') || routeOptions.url === undefined) return undefined
  const path = routeOptions.url.replaceAll(/:(\w+)/g, '{$1}')
  const operation = app.getDecorator<() => Document>('swagger')().paths[path]?.[method.toLowerCase()]
  return operation && Object.keys(operation.responses)
}
