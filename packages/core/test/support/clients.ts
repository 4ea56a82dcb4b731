import { onTestFinished } from 'vitest'
import { AudioClient, type AudioClientOptions, nodeTransport, type NodeTransportOptions } from '../../src/index.ts'

/** Long and unique, so tests can search for it. */
export const API_KEY = 'svc-secret-4f1c9d27b8e04a6f'

/** Options of {@link connect}: those of the client and the transport. */
export type ConnectOptions = Omit<AudioClientOptions, 'transport'> & NodeTransportOptions

/** A client over the real transport. It closes with its test. By default it retries nothing. */
export function connect(baseUrl: string, options: ConnectOptions = {}): AudioClient {
  const { connectTimeout, headersTimeout, idleTimeout, allowH2, maxHeaderSize, dispatcher, ...rest } = options
  const transport = nodeTransport({
    ...(connectTimeout === undefined ? {} : { connectTimeout }),
    ...(headersTimeout === undefined ? {} : { headersTimeout }),
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(allowH2 === undefined ? {} : { allowH2 }),
    ...(maxHeaderSize === undefined ? {} : { maxHeaderSize }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
  })
  const client = new AudioClient({ maxRetries: 0, ...rest, apiKey: API_KEY, baseUrl, transport })
  onTestFinished(() => client.close())
  return client
}

/** The error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )
}

/** All chunks of an iteration, joined. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

/** All items of an iteration. */
export async function listAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Waits until a condition holds, up to the timeout of the test. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
