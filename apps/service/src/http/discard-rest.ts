import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, systemClock } from '../domain/clock.ts'

/** Enough for the rest of the largest upload (interface: Limits) at 14 Mbit/s. */
export const LONGEST_DISCARD_MS = 5 * 60_000

/**
 * Once a request is answered, what is left of its body is read and dropped, so that the next one on its connection is
 * reached. Node does so only with a body that nobody began to read: one that was refused in its midst would stop the
 * connection. Who is still sending after {@link LONGEST_DISCARD_MS} is cut off.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse, clock: Clock = systemClock): void {
  response.once('finish', () => {
    if (request.complete && request.readableLength === 0) return
    // A form's parser may hold it back: nobody takes the part that it stands at.
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
  // An answered request does not hear that its connection has ended.
  socket.once('close', settle)
}
