import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { errorCode } from '../domain/error-code.ts'
import { ServiceError } from '../domain/service-error.ts'
import { DEFAULT_OPTIONS } from '../service-options.ts'
import { cutStalledReader, cutStalledWriter, discardRest, responseInFlight } from './connection.ts'
import { type ConnectionLimitOptions, ConnectionLimits } from './connection-limits.ts'
import { errorBody, sendRefusal } from './errors.ts'
import { isWebSocket, receiveUpgrades } from './upgrades.ts'

/** A listening port that may open before the service is ready. */
export interface HttpListener {
  readonly server: Server
  readonly connections: ConnectionLimits
  /** Hands all further requests to this handler. */
  open(listener: RequestListener): void
  /** Hands the openings of WebSockets to it too, as requests: see {@link upgradeOf}. Before, they are plain requests. */
  acceptUpgrades(): void
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
  let areUpgradesAccepted = false
  // Java's client offers HTTP/2 this way with every request. Node 22 does not ask.
  const shouldUpgradeCallback = (request: IncomingMessage): boolean => areUpgradesAccepted && isWebSocket(request)
  // With `optimizeEmptyRequests`, Node does not run the life cycle of a stream for a body that is never sent.
  const server = createServer({ optimizeEmptyRequests: true, shouldUpgradeCallback }, (request, response) => {
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
  return {
    server,
    connections,
    open: (listener) => void (respond = listener),
    acceptUpgrades() {
      areUpgradesAccepted = true
      receiveUpgrades(server, (request, response) => {
        const refusal = connections.refusalOf(request.socket)
        if (refusal !== undefined) return sendRefusal(response, refusal)
        respond(request, response)
      })
    },
  }
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

/**
 * Answers `Expect: 100-continue` when the body is read for the first time. By then the key and the announced size are
 * checked, so a request that is refused for them gets its error instead, and its body is never sent. Node alone would
 * ask for the body before any check.
 */
function delayContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const read = request.read.bind(request)
    // False if the client asked to close the connection.
    const { shouldKeepAlive } = response
    // A client that was not asked may send the body or not: only a new connection is unambiguous.
    response.shouldKeepAlive = false
    request.read = (size) => {
      request.read = read
      if (!response.headersSent) {
        response.shouldKeepAlive = shouldKeepAlive
        response.writeContinue()
      }
      return read(size) as unknown
    }
    server.emit('request', request, response)
  })
}

/** Refuses an `Expect` header other than `100-continue`. Node alone would leave its client connected for ever. */
function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    discardRest(request, response)
    sendRefusal(response, new ServiceError(417, 'expectation_failed', 'Expect can only be 100-continue'))
  })
}

/**
 * Answers bytes that are no HTTP request with the one error body and a request id, as every other error. Closes the
 * connection: the next request cannot be found in it.
 */
function answerParserErrors(server: Server): void {
  server.on('clientError', (error, socket) => {
    // A client that disconnected reads no response, and a response that has started cannot become another.
    if (errorCode(error) === 'ECONNRESET' || !socket.writable || responseInFlight(socket)?.headersSent === true) {
      socket.destroy()
      return
    }
    const failure = failureOf(errorCode(error))
    const body = JSON.stringify(errorBody(failure))
    const head = [
      `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${randomUUID()}`,
      'connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

function failureOf(code: string): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError(431, 'headers_too_large', 'The headers are too large: send at most 16 KB')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError(408, 'request_timeout', 'The request did not arrive in time')
  }
  return new ServiceError(400, 'invalid_request', 'The bytes are not an HTTP request')
}
