import type { IncomingMessage } from 'node:http'
import { type Clock, systemClock } from '../domain/clock.ts'

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
