import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

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
