import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lingerAfterResponse } from '@svc-audio/core/adapter'
import { type Clock, systemClock } from '../domain/clock.ts'

/** Marks what a valid key or a signed link came with. A field: an entry in a set costs each request several times that. */
const ACCEPTED = Symbol('accepted')
const ACTION = Symbol('whenAccepted')

interface Marked {
  [ACCEPTED]?: true
  [ACTION]?: () => void
}

/** Notes that a valid key or a signed link came with the request. Its connection then counts as a client's. */
export function acceptRequest(request: IncomingMessage & Marked): void {
  const socket: Socket & Marked = request.socket
  request[ACCEPTED] = true
  if (socket[ACCEPTED] !== true) socket[ACCEPTED] = true
  request[ACTION]?.()
}

/** Runs this action once the request is accepted. A request has at most one. */
export function whenAccepted(request: IncomingMessage & Marked, action: () => void): void {
  request[ACTION] = action
}

/** Whether a valid key or a signed link came with the request. */
export function isAccepted(request: IncomingMessage & Marked): boolean {
  return request[ACCEPTED] === true
}

/** Whether a request of this connection was accepted at some time. */
export function hasBeenAccepted(socket: Socket & Marked): boolean {
  return socket[ACCEPTED] === true
}

/** The part of a response that {@link responseInFlight} tells. */
export type ResponseInFlight = Pick<ServerResponse, 'req' | 'headersSent' | 'writableFinished'>

/** The first unfinished response of a connection: Node keeps it there. `undefined` for a connection that waits. */
export function responseInFlight(socket: object): ResponseInFlight | undefined {
  const response: unknown = Reflect.get(socket, '_httpMessage')
  return isResponse(response) ? response : undefined
}

function isResponse(value: unknown): value is ResponseInFlight {
  return typeof value === 'object' && value !== null && 'req' in value && 'headersSent' in value
}

/** Enough for the rest of the largest upload (interface: Limits) at 14 Mbit/s. */
export const LONGEST_DISCARD_MS = 5 * 60_000

/** Enough for a client to read its error. */
export const LONGEST_STRANGER_MS = 5000
/** Enough for the usual JSON body. */
export const MOST_OF_STRANGER_BYTES = 64 * 1024

/**
 * Reads and drops the rest of an answered request's body, so that the connection can serve the next request. Node does
 * so only if nothing has read the body. A body that was refused in the middle would block the connection. A client that
 * still sends after {@link LONGEST_DISCARD_MS} is disconnected.
 *
 * A request without a valid key gets less: {@link MOST_OF_STRANGER_BYTES} are read, and its client is disconnected
 * after {@link LONGEST_STRANGER_MS}. Anyone could hold connections open with such requests. If its body may be longer
 * than that, the response has `Connection: close`: a client that has sent its whole body would otherwise send its next
 * request on a connection that is about to close.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse, clock: Clock = systemClock): void {
  if (mayBeLong(request) && response.shouldKeepAlive && !isAccepted(request)) {
    response.shouldKeepAlive = false
    whenAccepted(request, () => (response.shouldKeepAlive = true))
  }
  // At `finish` Node itself has begun to read, without a limit.
  response.once('prefinish', () => {
    if (request.complete || isAccepted(request)) return
    dropLittle(request)
    cutWhenLate(request, clock, LONGEST_STRANGER_MS, lingerAfterResponse(request.socket))
  })
  response.once('finish', () => {
    if (request.complete && request.readableLength === 0) return
    // A form parser may hold the body back, because nothing reads the current part.
    request.unpipe()
    if (!isAccepted(request)) return
    request.resume()
    if (!request.complete) cutWhenLate(request, clock, LONGEST_DISCARD_MS)
  })
}

function mayBeLong({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MOST_OF_STRANGER_BYTES
}

/** Reads some bytes of the body. The rest stays with the client, whose connection is closed soon. */
function dropLittle(request: IncomingMessage): void {
  let left = MOST_OF_STRANGER_BYTES
  request.unpipe()
  request.on('data', (chunk: Uint8Array) => {
    left -= chunk.byteLength
    if (left < 0) request.pause()
  })
  request.resume()
  // Node drops the body of a request that nobody has begun to read.
  request.read(0)
}

function cutWhenLate(request: IncomingMessage, clock: Clock, milliseconds: number, onEnd?: () => void): void {
  const { socket } = request
  const cancel = clock.setTimer(milliseconds, () => socket.destroy())
  const settle = (): void => {
    cancel()
    request.off('end', settle)
    socket.off('close', settle)
    onEnd?.()
  }
  request.once('end', settle)
  // An answered request does not emit the end of its connection.
  socket.once('close', settle)
}

/**
 * Disconnects a client that stops reading its response: bytes wait to be sent, and the client has read none for the
 * `timeout` of the server to twice that time. A client that waits for a slow response, or sends its request slowly,
 * stays connected.
 */
export function cutStalledReader(response: ServerResponse): void {
  // The server sets the timer of the socket for each request, and it restarts with every byte read or written. A timer
  // of each response would take a tenth of a small response's time.
  response.on('timeout', cutIfStalled)
}

/** Without this listener, Node would disconnect a client that waits. */
function cutIfStalled(this: ServerResponse): void {
  if (this.socket !== null && this.socket.writableLength > 0) this.socket.destroy()
}

/**
 * Disconnects a client that does not send the announced body of its request: a JSON body must be complete after `stallTimeout`,
 * and no body may rest for that long. An upload may last as long as its bytes come. A body that this service does not
 * read at the moment may rest.
 *
 * @param stallTimeout Milliseconds.
 */
export function cutStalledWriter(request: IncomingMessage, stallTimeout: number, clock: Clock = systemClock): void {
  const { headers, socket } = request
  const isForm = /^multipart\//i.test(headers['content-type'] ?? '')
  let received = 0
  let cancel: (() => void) | undefined
  const check = (): void => {
    const rests = socket.bytesRead === received
    const waits = request.readableLength === 0
    received = socket.bytesRead
    if (!request.complete && waits && (rests || !isForm)) socket.destroy()
    else if (!request.complete) watch()
  }
  const watch = (): void => {
    cancel = clock.setTimer(stallTimeout, check)
  }
  watch()
  // An answered request does not emit its end, and its connection may serve others.
  request.once('close', () => cancel?.())
}
