import { createServer, type RequestListener, type Server } from 'node:http'
import { once } from 'node:events'
import { DEFAULT_OPTIONS } from '../service-options.ts'
import { cutStalledReader } from './cut-stalled-reader.ts'
import { discardRest } from './discard-rest.ts'

/** Where requests come in: open before there is anyone behind it to answer them. */
export interface HttpListener {
  readonly server: Server
  /** From now on this answers. */
  open(listener: RequestListener): void
}

/** Options of {@link openHttpListener}. */
export interface HttpListenerOptions {
  /** How long a client may take nothing of an answer before its connection is cut, in milliseconds. @default 60000 */
  readonly stallTimeout?: number
}

/** Longer than proxies commonly keep a connection, so that the proxy is the one who closes it. */
const KEEP_ALIVE_MS = 72_000

/**
 * Listens at once. Until it is opened, `/healthz` says that the process lives and everything else is answered 503 with
 * `Retry-After`, so that anyone who watches sees a service that is starting, not one that is down.
 * @throws Error of the system when the port is taken (`EADDRINUSE`) or the host is not one of this machine
 */
export async function openHttpListener(
  host: string,
  port: number,
  { stallTimeout = DEFAULT_OPTIONS.stallTimeout }: HttpListenerOptions = {},
): Promise<HttpListener> {
  let answer: RequestListener = answerWhileStarting
  const server = createServer((request, response) => {
    discardRest(request, response)
    cutStalledReader(response, stallTimeout)
    answer(request, response)
  })
  // A long transcription keeps its client waiting; the connection itself has no deadline.
  server.requestTimeout = 0
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen(port, host)
  await once(server, 'listening')
  return { server, open: (listener) => void (answer = listener) }
}

const STARTING = {
  error: { code: 'starting', message: 'The service is starting', type: 'service_error', param: null },
}

const answerWhileStarting: RequestListener = (request, response) => {
  request.resume()
  const [path] = (request.url ?? '').split('?', 1)
  const [status, body] =
    path === '/healthz' ? [200, { status: 'ok' }] : path === '/readyz' ? [503, { status: 'starting' }] : [503, STARTING]
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    // Anyone who asks again is to come to the one who answers then.
    connection: 'close',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  })
  response.end(JSON.stringify(body))
}
