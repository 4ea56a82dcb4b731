import type { RequestListener } from 'node:http'
import { serverUrl } from '@svc-audio/testing'
import { pino } from 'pino'
import { type AppOptions, createApp } from '../../src/app.ts'
import { type HttpListenerOptions, openHttpListener } from '../../src/http/listener.ts'
import { Readiness } from '../../src/http/readiness.ts'
import type { Services } from '../../src/services.ts'

/** Options of {@link serveApp}. */
export interface ServeAppOptions extends HttpListenerOptions {
  /** @default '127.0.0.1' */
  readonly host?: string
  readonly app?: Partial<AppOptions>
}

/** The HTTP side. */
export interface ServedApp {
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
