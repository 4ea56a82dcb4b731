import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, systemClock } from '../domain/clock.ts'

/** Enough for the rest of the largest upload (interface: Limits) at 14 Mbit/s. */
export const LONGEST_DISCARD_MS = 5 * 60_000

/**
 * Reads and drops the rest of an answered request's body, so that the connection can serve the next request. Node does
 * so only if nothing has read the body. A body that was refused in the middle would block the connection. A client that
 * still sends after {@link LONGEST_DISCARD_MS} is disconnected.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse, clock: Clock = systemClock): void {
  response.once('finish', () => {
    if (request.complete && request.readableLength === 0) return
    // A form parser may hold the body back, because nothing reads the current part.
    request.unpipe()
    request.resume()
    if (!request.complete) cutWhenLate(request, clock)
  })
}

function cutWhenLate(request: IncomingMessage, clock: Clock): void {
  const { socket } = request
  const cancel = clock.setTimer(LONGEST_DISCARD_MS, () => socket.destroy())
  const settle = (): void => {
    cancel()
    request.off('end', settle)
    socket.off('close', settle)
  }
  request.once('end', settle)
  // An answered request does not emit the end of its connection.
  socket.once('close', settle)
}
