import fastify from 'fastify'
import { expect, test } from 'vitest'
import { ENDPOINTS } from '../src/endpoints/index.ts'
import { describeRoutes } from '../src/http/openapi.ts'

test('a route without an endpoint module does not start', async () => {
  const app = fastify()
  await describeRoutes(app, 'v1')
  expect(() => app.get('/v1/audio/ping', () => ({ pong: true }))).toThrow(
    'GET /v1/audio/ping has no endpoint module: define it in src/endpoints with defineEndpoint',
  )
  await app.close()
})

test('a route with an endpoint module starts, with HEAD', async () => {
  const app = fastify()
  await describeRoutes(app, 'v1')
  const endpoint = ENDPOINTS.find(({ path }) => path === '/healthz')
  if (endpoint === undefined) throw new Error('There is no endpoint /healthz')
  app.get('/healthz', { config: { endpoint } }, () => ({ status: 'ok' }))
  const response = await app.inject({ method: 'HEAD', url: '/healthz' })
  expect(response.statusCode).toBe(200)
  await app.close()
})
