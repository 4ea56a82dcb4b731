import type { FastifyReply } from 'fastify'
import { ClientDisconnectedError } from '../domain/errors.ts'
import { ServiceError } from '../domain/service-error.ts'
import { whenResponseEnds } from './response-end.ts'

/**
 * Returns a signal that aborts when the client disconnects or the service's shutdown ends. Watches the response,
 * because a request's `close` event tells nothing once its body is read.
 */
export function disconnectSignal(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const stop = (): void =>
    controller.abort(new ServiceError(503, 'shutting_down', 'The service is shutting down', { retryAfterSeconds: 5 }))
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop, { once: true })
  // The client may have disconnected during the checks of the request: the action runs at once.
  whenResponseEnds(reply, () => {
    stopping.removeEventListener('abort', stop)
    if (!reply.raw.writableFinished) controller.abort(new ClientDisconnectedError())
  })
  return controller.signal
}
