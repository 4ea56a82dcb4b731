import type { ServerResponse } from 'node:http'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { rememberResponse } from './responses.ts'

/**
 * A signal that aborts with {@link ClientDisconnectedError} when the client disconnects before the response is complete.
 * It watches the response, because the request emits `close` as soon as its body has been read.
 * @param response Node's response: `res` in Express, `reply.raw` in Fastify.
 */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  rememberResponse(response)
  const controller = new AbortController()
  const disconnect = (): void => {
    if (!response.writableFinished) controller.abort(new ClientDisconnectedError())
  }
  if (response.closed) disconnect()
  else response.once('close', disconnect)
  return controller.signal
}
