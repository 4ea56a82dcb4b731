import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

const ACTIONS = new WeakMap<ServerResponse, (() => void)[]>()

/**
 * Runs an action when an answer has ended: it is sent, or the client has disconnected. Runs it at once if the
 * connection is closed already, because a closed connection emits no `close`. Actions run in the order in which they
 * were added. They must not throw.
 *
 * All actions of an answer share one listener: Node prints a warning from the eleventh on, and the streams of an answer
 * add listeners of their own.
 */
export function whenAnswerEnds({ raw }: FastifyReply, action: () => void): void {
  if (raw.destroyed) {
    action()
    return
  }
  const actions = ACTIONS.get(raw)
  if (actions !== undefined) {
    actions.push(action)
    return
  }
  const first = [action]
  ACTIONS.set(raw, first)
  raw.once('close', () => {
    for (const one of first) one()
  })
}
