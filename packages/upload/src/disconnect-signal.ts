import type { ServerResponse } from 'node:http'
import { ClientGoneError } from './client-gone-error.ts'

/**
 * A signal that aborts with {@link ClientGoneError} when the client leaves before it has the whole answer. It watches the
 * response, since a request's own `close` says nothing once its body has been read.
 *
 * @param response Node's own response: `res` in Express, `reply.raw` in Fastify.
 */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const leave = (): void => {
    if (!response.writableFinished) controller.abort(new ClientGoneError())
  }
  if (response.closed) leave()
  else response.once('close', leave)
  return controller.signal
}
