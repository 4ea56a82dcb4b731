import type { IncomingMessage, ServerResponse } from 'node:http'
import { lingerAfterResponse } from '@svc-audio/core/adapter'
import { type Clock, systemClock } from '../domain/clock.ts'
import { isAccepted, whenAccepted } from './accepted-requests.ts'

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
