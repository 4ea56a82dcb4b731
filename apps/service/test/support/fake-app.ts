import { createServer } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createApp } from '../../src/app.ts'
import { Readiness } from '../../src/http/readiness.ts'
import type { SpeechEngine } from '@svc-audio/engine-ports'
import { createFakeServices, type FakeServices } from './fake-services.ts'

/** The HTTP side over fake services: real requests, engines at the test's pace. */
export interface FakeApp {
  readonly services: FakeServices
  /** Posts JSON, or a form, with a key of the tenant `first`. */
  post(path: string, body: object, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
  /** With the same key. */
  get(path: string): Promise<Response>
  /** With the same key. */
  delete(path: string): Promise<Response>
  /** Its address, and a header with the key of the tenant `first`. */
  readonly url: string
  readonly first: { readonly authorization: string }
  /** A header with a key of another tenant. */
  readonly second: { readonly authorization: string }
  close(): Promise<void>
}

/**
 * Starts the HTTP side on a free port.
 * @param speech Replaces the services' engine.
 */
export async function startFakeApp(speech?: SpeechEngine): Promise<FakeApp> {
  const services = await createFakeServices()
  const used = speech === undefined ? services : { ...services, speech }
  const readiness = new Readiness()
  const app: FastifyInstance = await createApp(used, {
    logger: pino({ level: 'silent' }),
    readiness,
    openaiApi: true,
    serverFactory: (listener) => createServer(listener),
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  readiness.open()
  const [first, second] = [await services.keys.create('first'), await services.keys.create('second')]
  const authorization = `Bearer ${first.key}`
  return {
    services,
    second: { authorization: `Bearer ${second.key}` },
    post: (path, body, headers = {}, signal) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization, ...(isForm(body) ? {} : { 'content-type': 'application/json' }), ...headers },
        body: isForm(body) ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    get: (path) => fetch(`${url}${path}`, { headers: { authorization } }),
    delete: (path) => fetch(`${url}${path}`, { method: 'DELETE', headers: { authorization } }),
    url,
    first: { authorization },
    async close() {
      app.server.closeAllConnections()
      await app.close()
      await services.close()
    },
  }
}

const isForm = (body: object): body is FormData => body instanceof FormData
