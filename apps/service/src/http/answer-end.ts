import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyReply {
    /** What {@link whenAnswerEnds} runs. `undefined` before its first call. */
    endActions: (() => void)[] | undefined
  }
}

/**
 * Runs an action when an answer has ended: it is sent, or the client has disconnected. Runs it at once if the
 * connection is closed already, because a closed connection emits no `close`. Actions run in the order in which they
 * were added. They must not throw.
 *
 * All actions of an answer share one listener: Node prints a warning from the eleventh on, and the streams of an answer
 * add listeners of their own.
 */
export function whenAnswerEnds(reply: FastifyReply, action: () => void): void {
  const { raw, endActions } = reply
  if (raw.destroyed) {
    action()
    return
  }
  if (endActions !== undefined) {
    endActions.push(action)
    return
  }
  const actions = [action]
  reply.endActions = actions
  raw.on('close', () => {
    for (const one of actions) one()
  })
}
