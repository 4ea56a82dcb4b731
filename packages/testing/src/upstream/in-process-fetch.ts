import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { InProcessResponse } from './in-process-response.ts'

/** A `fetch` that hands every request to a function instead of a network. It follows no redirect. */
export function inProcessFetch(
  receive: (message: IncomingMessage, response: ServerResponse) => void,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return (input, init) => {
    const request = new Request(input, init)
    const { method, headers, signal } = request
    const { pathname, search } = new URL(request.url)
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    // Like an unread socket, a body that nobody reads fails nothing.
    const message = Readable.from(bodyOf(request)).on('error', () => {})
    Object.assign(message, { method, url: pathname + search, headers: Object.fromEntries(headers) })
    const response = new InProcessResponse(resolve, reject)
    const stop = (): void => {
      reject(signal.reason)
      message.destroy()
      response.destroy(signal.reason)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    response.once('close', () => signal.removeEventListener('abort', stop))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both have the parts that answers and the recorder use
    receive(message as IncomingMessage, response as unknown as ServerResponse)
    return promise
  }
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}
