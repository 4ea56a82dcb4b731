import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { AudioClient, type AudioClientOptions } from '@svc-audio/core'
import express, { type Express } from 'express'
import { audioErrors } from '../../src/index.ts'

/** The key of the app's client; it must never show anywhere. */
export const KEY = 'sk-sekret-key'

/** What `onError` was told. */
export interface Reported {
  readonly status: number
  readonly code: string
  readonly error: unknown
}

/** A running Express app. */
export interface TestApp {
  readonly url: string
  readonly port: number
  readonly client: AudioClient
  /** Errors in the order they were reported. */
  readonly reported: Reported[]
  /** Waits until so many errors have been reported. */
  errors(count: number): Promise<Reported[]>
  close(): Promise<void>
}

/** Starts a real Express app over HTTP, with `audioErrors()` at its end. */
export async function startApp(
  baseUrl: string,
  configure: (app: Express, client: AudioClient) => void,
  clientOptions: AudioClientOptions = {},
): Promise<TestApp> {
  const client = new AudioClient({ apiKey: KEY, baseUrl, ...clientOptions })
  const reported: Reported[] = []
  const waiting: (() => void)[] = []
  const app = express()
  configure(app, client)
  app.use(
    audioErrors({
      onError: (error, { status, code }) => {
        reported.push({ status, code, error })
        for (const wake of waiting.splice(0)) wake()
      },
    }),
  )
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    client,
    reported,
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
