import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'

/** A call that came. */
export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Somebody's server, which webhooks are sent to. */
export interface Receiver {
  readonly url: string
  readonly calls: readonly ReceivedCall[]
  close(): void
}

/**
 * Starts a receiver on this machine.
 * @param answer Status for a call, given those before it.
 */
export async function startReceiver(
  answer: (call: ReceivedCall, before: readonly ReceivedCall[]) => number,
): Promise<Receiver> {
  const calls: ReceivedCall[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', () => undefined)
    request.on('end', () => {
      const call = { headers: request.headers, body: Buffer.concat(parts).toString() }
      response.statusCode = answer(call, calls)
      calls.push(call)
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port')
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    calls,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
