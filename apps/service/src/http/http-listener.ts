import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { once } from 'node:events'
import { DEFAULT_OPTIONS } from '../service-options.ts'
import { sendRefusal } from './send-refusal.ts'
import { ConnectionLimits, type ConnectionLimitOptions } from './connection-limits.ts'
import { cutStalledReader } from './cut-stalled-reader.ts'
import { delayContinue } from './delay-continue.ts'
import { cutStalledWriter } from './cut-stalled-writer.ts'
import { discardRest } from './discard-rest.ts'
import { refuseExpectations } from './refuse-expectations.ts'
import { answerParserErrors } from './parser-errors.ts'

/** A listening port that may open before the service is ready. */
export interface HttpListener {
  readonly server: Server
  readonly connections: ConnectionLimits
  /** Hands all further requests to this handler. */
  open(listener: RequestListener): void
}

/** Options of {@link openHttpListener}. */
export interface HttpListenerOptions extends ConnectionLimitOptions {
  /** Time without a read before a client is disconnected, in milliseconds. @default 60000 */
  readonly stallTimeout?: number
}

/** Longer than the usual idle timeout of proxies, so that the proxy closes the connection. */
const KEEP_ALIVE_MS = 72_000

/**
 * Listens at once. Until the service opens it, `/healthz` answers 200 and every other path 503 with `Retry-After`. A
 * monitor sees a service that starts, not one that is down.
 * @throws RangeError naming an option that is not valid; Error of the system when the port is taken (`EADDRINUSE`) or
 * the host is not an address of this machine
 */
export async function openHttpListener(
  host: string,
  port: number,
  { stallTimeout = DEFAULT_OPTIONS.stallTimeout, ...limits }: HttpListenerOptions = {},
): Promise<HttpListener> {
  const connections = new ConnectionLimits(limits)
  let respond: RequestListener = respondWhileStarting
  // Node does not run the life cycle of a stream for a body that is never sent.
  const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
    const refusal = connections.refusalOf(request.socket)
    if (hasBody(request)) {
      discardRest(request, response)
      cutStalledWriter(request, stallTimeout)
    }
    if (refusal !== undefined) return sendRefusal(response.setHeader('connection', 'close'), refusal)
    cutStalledReader(response)
    respond(request, response)
  })
  connections.watch(server)
  delayContinue(server)
  refuseExpectations(server)
  answerParserErrors(server)
  // A client may wait long for a transcription, so the connection has no deadline.
  server.requestTimeout = 0
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // It also closes a connection that sends nothing for that time before its first request.
  server.timeout = stallTimeout
  server.listen(port, host)
  await once(server, 'listening')
  return { server, connections, open: (listener) => void (respond = listener) }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

const STARTING = {
  error: { code: 'starting', message: 'The service is starting', type: 'service_error', param: null },
}

const respondWhileStarting: RequestListener = (request, response) => {
  const [path] = (request.url ?? '').split('?', 1)
  const [status, body] =
    path === '/healthz' ? [200, { status: 'ok' }] : path === '/readyz' ? [503, { status: 'starting' }] : [503, STARTING]
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    // A client that asks again must reach the opened service.
    connection: 'close',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  })
  response.end(JSON.stringify(body))
}
