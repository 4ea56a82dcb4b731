import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { TestCertificate } from './certificates.ts'

/** A received call. */
export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The headers of a call, in the form for verification. */
export function headersOf({ headers }: ReceivedCall): Headers {
  return new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** A webhook receiver. */
export interface Receiver {
  readonly url: string
  readonly calls: readonly ReceivedCall[]
  /** Uses another certificate from now on. */
  show(certificate: TestCertificate): void
  close(): void
}

/**
 * Starts a receiver on this machine.
 * @param answer Status for a call, by the earlier calls.
 * @param certificate Its certificate. Without one it has no TLS.
 */
export async function startReceiver(
  respond: (call: ReceivedCall, before: readonly ReceivedCall[]) => number,
  certificate?: TestCertificate,
): Promise<Receiver> {
  const calls: ReceivedCall[] = []
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', () => undefined)
    request.on('end', () => {
      const call = { headers: request.headers, body: Buffer.concat(parts).toString() }
      response.statusCode = respond(call, calls)
      calls.push(call)
      response.end()
    })
  }
  const secure = certificate && createSecureServer(certificate, listener)
  const server = (secure ?? createServer(listener)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The receiver has no port')
  return {
    url: `${secure === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}/hook`,
    calls,
    show: (shown) => secure?.setSecureContext(shown),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
