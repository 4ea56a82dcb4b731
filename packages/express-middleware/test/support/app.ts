import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { AudioClient, type AudioClientOptions } from '@svc-audio/core'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { audioErrors, type AudioErrorsOptions } from '../../src/index.ts'

/** The key of the app's client. It must never appear in a response or log. */
export const KEY = 'sk-sekret-key'

/** A version of Express. */
export type ExpressVersion = 4 | 5

/** Express itself, for its body parsers. */
export function expressOf(version: ExpressVersion): typeof express5 {
  return version === 4 ? express4 : express5
}

/** Arguments of `onError`. */
export interface Reported {
  readonly status: number
  readonly code: string
  readonly error: unknown
}

/** A running Express app. */
export interface TestApp {
  readonly app: Express
  readonly url: string
  readonly port: number
  readonly client: AudioClient
  /** Errors in the order of their reports. */
  readonly reported: Reported[]
  /** Lines of the logger. */
  readonly lines: string[]
  /** Waits until this many errors have been reported. */
  errors(count: number): Promise<Reported[]>
  close(): Promise<void>
}

/** Options of {@link startApp}. */
export interface StartAppOptions extends AudioClientOptions {
  /** @default 5 */
  readonly version?: ExpressVersion
  /** Options of `audioErrors()` at the end of the app; `false` omits it. @default a separate log */
  readonly audioErrors?: AudioErrorsOptions | false
}

/** Starts a real Express app over HTTP, with `audioErrors()` at its end. */
export async function startApp(
  baseUrl: string,
  configure: (app: Express, client: AudioClient) => void,
  { version = 5, audioErrors: errorOptions = {}, ...clientOptions }: StartAppOptions = {},
): Promise<TestApp> {
  const client = new AudioClient({ apiKey: KEY, baseUrl, ...clientOptions })
  const reported: Reported[] = []
  const lines: string[] = []
  const waiting: (() => void)[] = []
  const app = expressOf(version)()
  configure(app, client)
  if (errorOptions !== false) {
    app.use(
      audioErrors({
        onError: (error, { status, code }) => {
          reported.push({ status, code, error })
          for (const wake of waiting.splice(0)) wake()
        },
        logger: { error: (line) => lines.push(line) },
        ...errorOptions,
      }),
    )
  }
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    app,
    url: `http://127.0.0.1:${port}`,
    port,
    client,
    reported,
    lines,
    async errors(count) {
      while (reported.length < count) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      }
      return reported
    },
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await client.close()
    },
  }
}
