import { checkOptions, checkRequest } from '../../src/adapter.ts'
import { type Transport, type TransportRequest } from '../../src/index.ts'
import { PureAudioClient } from '../../src/pure.ts'
import { API_KEY } from './clients.ts'

/** A response of a {@link memoryClient}. */
export interface MemoryResponse {
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: Iterable<Uint8Array>
}

/** A client over an in-memory transport, for responses that no HTTP server can produce. It has no access to files. */
export function memoryClient(respond: (request: TransportRequest) => MemoryResponse): {
  client: PureAudioClient
  cancelled: () => number
} {
  let cancels = 0
  const transport: Transport = {
    async send(request) {
      const { status = 200, headers, chunks } = respond(request)
      async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
        yield* chunks
      }
      const cancel = (): void => {
        cancels += 1
      }
      return { status, headers, body: { [Symbol.asyncIterator]: read, cancel, release: () => {} } }
    },
  }
  const clock = { now: () => 0, setTimer: () => () => {} }
  const client = new PureAudioClient({
    apiKey: API_KEY,
    baseUrl: 'http://memory.invalid',
    transport,
    clock,
    checkRequest,
    checkOptions,
  })
  return { client, cancelled: () => cancels }
}
