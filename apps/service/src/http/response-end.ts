import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { ClientDisconnectedError } from '../domain/errors.ts'
import { ServiceError } from '../domain/service-error.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** What {@link whenResponseEnds} runs. `undefined` before its first call. */
    endActions: (() => void)[] | undefined
  }
}

/**
 * Runs an action when a response has ended: it is sent, or the client has disconnected. Runs it at once if the
 * connection is closed already, because a closed connection emits no `close`. Actions run in the order in which they
 * were added. They must not throw.
 *
 * All actions of a response share one listener: Node prints a warning from the eleventh on, and the streams of a
 * response add listeners of their own.
 */
export function whenResponseEnds(reply: FastifyReply, action: () => void): void {
  const { raw, endActions } = reply
  if (raw.destroyed || reply.request.raw.socket.destroyed) {
    action()
    return
  }
  if (endActions !== undefined) {
    endActions.push(action)
    return
  }
  const actions = [action]
  reply.endActions = actions
  const end = (): void => {
    for (const one of actions.splice(0)) one()
  }
  raw.on('close', end)
  // The response to a pipelined request waits behind another one, without a socket.
  if (raw.socket === null) whenConnectionEnds(reply.request.raw.socket, raw, end)
}

/** Ends of the waiting responses of a connection. One listener for all of them: Node warns from the eleventh on. */
const waiting = new WeakMap<Socket, Set<() => void>>()

/** Runs an action when the connection closes before the response does. Node 22 closes no response that waits for another. */
function whenConnectionEnds(socket: Socket, response: ServerResponse, action: () => void): void {
  let ends = waiting.get(socket)
  if (ends === undefined) {
    const all = new Set<() => void>()
    waiting.set(socket, all)
    socket.once('close', () => {
      for (const end of all) end()
    })
    ends = all
  }
  const others = ends.add(action)
  response.once('close', () => others.delete(action))
}

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
