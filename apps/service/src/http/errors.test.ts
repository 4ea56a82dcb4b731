import fastify, { type FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { EngineUnavailableError } from '../ports/engines.ts'
import { writtenLog } from '../../test/support/telemetry.ts'
import { handleError } from './errors.ts'

/** An app with one failing route, and the lines that it wrote. */
function failing(error: Error, level: string): { app: FastifyInstance; lines: () => Record<string, unknown>[] } {
  const { log: loggerInstance, lines } = writtenLog(level)
  const app: FastifyInstance = fastify({ loggerInstance })
  app.setErrorHandler(handleError)
  app.get('/', () => {
    throw error
  })
  return { app, lines }
}

test('a missing engine is reported to the client, without an error line for each request', async () => {
  const { app, lines } = failing(new EngineUnavailableError('speech', 7), 'warn')
  const response = await app.inject('/')
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '7'])
  expect(response.json()).toMatchObject({ error: { code: 'engine_unavailable', type: 'service_error' } })
  expect(lines()).toEqual([])
})

test('a missing engine is a line at level info', async () => {
  const { app, lines } = failing(new EngineUnavailableError('speech', 7), 'info')
  await app.inject('/')
  expect(lines()).toContainEqual(
    expect.objectContaining({ level: 30, msg: 'The speech engine does not work at the moment' }),
  )
})

test('an engine that fails during a request gives an error line with its cause', async () => {
  const { app, lines } = failing(new EngineFailedError('the thread crashed'), 'warn')
  expect((await app.inject('/')).statusCode).toBe(500)
  expect(lines()).toMatchObject([{ level: 50, err: { message: 'the thread crashed' } }])
})
