import type { FastifyReply } from 'fastify'
import { ClientDisconnectedError } from '../domain/errors.ts'
import { ServiceError } from '../domain/service-error.ts'

/**
 * Aborts when nobody waits for the answer any more: the client closed the connection, or the service is at the end of
 * its shutdown. It watches the response, since a request's own `close` says nothing once its body has been read.
 */
export function disconnectSignal(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const stop = (): void =>
    controller.abort(new ServiceError(503, 'shutting_down', 'The service is shutting down', { retryAfterSeconds: 5 }))
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop, { once: true })
  // The client may have disconnected while the request was being judged.
  if (reply.raw.destroyed) controller.abort(new ClientDisconnectedError())
  reply.raw.once('close', () => {
    stopping.removeEventListener('abort', stop)
    if (!reply.raw.writableFinished) controller.abort(new ClientDisconnectedError())
  })
  return controller.signal
}
