import type { RequestListener } from 'node:http'
import type { SpeechEngine } from '@svc-audio/engine-ports'
import { serverUrl } from '@svc-audio/testing'
import { pino } from 'pino'
import { type AppOptions, createApp } from '../../src/app.ts'
import { type HttpListenerOptions, openHttpListener } from '../../src/http/listener.ts'
import { Readiness } from '../../src/http/readiness.ts'
import type { Services } from '../../src/services.ts'
import { type Changes, changed, createFakeServices, type FakeServices } from './fake-services.ts'

/** The HTTP side over fake services: real requests, engines at the test's pace. */
export interface FakeApp {
  readonly services: FakeServices
  /** Its address, and a header with a key of the tenant `first`. */
  readonly url: string
  readonly first: { readonly authorization: string }
  /** A header with a key of another tenant. */
  readonly second: { readonly authorization: string }
  /** A request with the key of the tenant `first`. An object that is no form is sent as JSON, a text as it is. */
  request(method: string, path: string, body?: object | string, headers?: Record<string, string>): Promise<Response>
  post(path: string, body: object | string, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
  get(path: string): Promise<Response>
  delete(path: string): Promise<Response>
  /** From now on it refuses requests, as a service that stops. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** Options of {@link startFakeApp}. */
export interface FakeAppOptions {
  /** @default the engine of the fake services, which speaks with the voice `v` */
  readonly speech?: SpeechEngine
  /** Replaces parts of the services. */
  readonly replace?: (services: FakeServices) => Changes
  readonly app?: Partial<AppOptions>
}

/** Starts the HTTP side on a free port, with the OpenAI API. */
export async function startFakeApp({ speech, replace, app = {} }: FakeAppOptions = {}): Promise<FakeApp> {
  const services = await createFakeServices()
  const spoken = speech === undefined ? services : changed(services, { engines: { speech } })
  const used = changed(spoken, replace?.(services) ?? {})
  const served = await serveApp(used, { app: { openaiApi: true, ...app } })
  const [first, second] = [await services.stores.keys.create('first'), await services.stores.keys.create('second')]
  const authorization = `Bearer ${first.key}`
  const send = (
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> => {
    const isForm = body instanceof FormData
    const json = body === undefined || isForm ? {} : { 'content-type': 'application/json' }
    return fetch(`${served.url}${path}`, {
      method,
      headers: { authorization, ...json, ...headers },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  }
  return {
    services,
    url: served.url,
    first: { authorization },
    second: { authorization: `Bearer ${second.key}` },
    request: send,
    post: (path, body, headers, signal) => send('POST', path, body, headers, signal),
    get: (path) => send('GET', path),
    delete: (path) => send('DELETE', path),
    stop: () => served.stop(),
    async close() {
      await served.close()
      await services.close()
    },
  }
}

/** Options of {@link serveApp}. */
interface ServeAppOptions extends HttpListenerOptions {
  /** @default '127.0.0.1' */
  readonly host?: string
  readonly app?: Partial<AppOptions>
}

/** The HTTP side. */
interface ServedApp {
  readonly url: string
  /** Refuses new requests. Resolves when those in flight are answered. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** The HTTP side over the test's services, on a free port. */
export async function serveApp(
  services: Services,
  { host = '127.0.0.1', app: given = {}, ...options }: ServeAppOptions = {},
): Promise<ServedApp> {
  const door = await openHttpListener(host, 0, options)
  const readiness = new Readiness()
  let listener: RequestListener | undefined
  const app = await createApp(services, {
    logger: pino({ level: 'silent' }),
    readiness,
    ...given,
    serverFactory: (handler) => {
      listener = handler
      return door.server
    },
  })
  await app.ready()
  if (listener !== undefined) door.open(listener)
  if (given.openaiApi === true) door.acceptUpgrades()
  readiness.open()
  return {
    url: serverUrl(door.server),
    stop: () => readiness.stop(),
    async close() {
      door.server.closeAllConnections()
      await readiness.stop()
      await app.close()
      const { promise, resolve } = Promise.withResolvers<undefined>()
      door.server.close(() => resolve(undefined))
      door.server.closeAllConnections()
      await promise
    },
  }
}
