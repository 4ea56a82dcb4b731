import fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineEndpoint, type EndpointDefinition, json } from '../src/http/endpoint.ts'
import { handleError } from '../src/http/errors.ts'
import { describeRoutes } from '../src/http/openapi.ts'
import { RESPONSES } from './support/described-responses.ts'

// What every test over HTTP checks, with endpoints that it must refuse.
const DESCRIBED = {
  method: 'GET',
  path: '/v1/pings',
  operationId: 'readPing',
  tag: 'service',
  summary: 'A ping',
  description: 'It answers.',
  rules: { page: 'docs/pings.md' },
  access: 'open',
  errors: [404, 500],
  content: json(z.looseObject({ pong: z.boolean(), times: z.array(z.looseObject({ at: z.int() })).optional() })),
} as const

type Handle = ReturnType<EndpointDefinition<unknown, unknown, unknown>['handle']>

/** Calls an endpoint with this handler once, and returns what the check says. */
async function judge(handle: Handle, change: Partial<EndpointDefinition<unknown, unknown, unknown>> = {}) {
  RESPONSES.clear()
  const app = fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(handleError)
  await describeRoutes(app, 'v1')
  // The handlers here work without the parts of a service.
  const parts = {} as Parameters<ReturnType<typeof defineEndpoint>['addRoute']>[1]
  defineEndpoint({ ...DESCRIBED, ...change, handle: () => handle }).addRoute(app, parts)
  const { statusCode } = await app.inject({ method: 'GET', url: '/v1/pings' })
  await app.close()
  return { statusCode, faults: [...RESPONSES.faults], missing: RESPONSES.missing }
}

// What is left here would fail this file.
afterAll(() => RESPONSES.clear())

const unseen = ['GET /v1/pings 404 application/json']

test('a response as described has no fault, and is not missing', async () => {
  const handle: Handle = () => ({ pong: true, times: [{ at: 1 }] })
  expect(await judge(handle)).toEqual({ statusCode: 200, faults: [], missing: unseen })
})

test('an endpoint that always fails has no fault, but its success is missing', async () => {
  const judged = await judge(() => {
    throw new Error('It never works')
  })
  expect(judged).toEqual({
    statusCode: 500,
    faults: [],
    missing: ['GET /v1/pings 200 application/json', ...unseen],
  })
})

test('an endpoint that nobody calls is missing with every response', async () => {
  const { missing } = await judge(() => ({ pong: true }), { errors: [404, 416] })
  expect(missing).toEqual([...unseen, 'GET /v1/pings 416 application/json'])
})

describe('a fault is', () => {
  const faults: [what: string, handle: Handle, fault: string][] = [
    [
      'another field',
      () => ({ pong: true, pang: 1 }),
      'GET /v1/pings 200: body must NOT have additional properties {"additionalProperty":"pang"}',
    ],
    [
      'another field within a list',
      () => ({ pong: true, times: [{ at: 1, by: 'me' }] }),
      'GET /v1/pings 200: body/times/0 must NOT have additional properties {"additionalProperty":"by"}',
    ],
    [
      'a missing field',
      () => ({}),
      'GET /v1/pings 200: body must have required property \'pong\' {"missingProperty":"pong"}',
    ],
    ['a field of another type', () => ({ pong: 1 }), 'GET /v1/pings 200: body/pong must be boolean {"type":"boolean"}'],
    [
      'another media type',
      (_request, reply) => reply.type('text/plain').send('pong'),
      'GET /v1/pings 200: the media type is text/plain, which is not described',
    ],
    [
      'no media type',
      (_request, reply) => reply.send(),
      'GET /v1/pings 200: the media type is missing, which is not described',
    ],
    ['another status', (_request, reply) => reply.code(201).send({}), 'GET /v1/pings 201: the status is not described'],
    [
      'an error that is no error body',
      (_request, reply) => reply.code(404).send({ error: 'none' }),
      'GET /v1/pings 404: body/error must be object {"type":"object"}',
    ],
  ]
  test.each(faults)('%s', async (_what, handle, fault) => {
    expect((await judge(handle)).faults).toEqual([fault])
  })
})
