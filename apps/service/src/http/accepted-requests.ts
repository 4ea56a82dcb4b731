import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Marks what a valid key or a signed link came with. A field: an entry in a set costs each request several times that. */
const ACCEPTED = Symbol('accepted')
const ACTION = Symbol('whenAccepted')

interface Marked {
  [ACCEPTED]?: true
  [ACTION]?: () => void
}

/** Notes that a valid key or a signed link came with the request. Its connection then counts as a client's. */
export function acceptRequest(request: IncomingMessage & Marked): void {
  const socket: Socket & Marked = request.socket
  request[ACCEPTED] = true
  if (socket[ACCEPTED] !== true) socket[ACCEPTED] = true
  request[ACTION]?.()
}

/** Runs this action once the request is accepted. A request has at most one. */
export function whenAccepted(request: IncomingMessage & Marked, action: () => void): void {
  request[ACTION] = action
}

/** Whether a valid key or a signed link came with the request. */
export function isAccepted(request: IncomingMessage & Marked): boolean {
  return request[ACCEPTED] === true
}

/** Whether a request of this connection was accepted at some time. */
export function hasBeenAccepted(socket: Socket & Marked): boolean {
  return socket[ACCEPTED] === true
}

/** The part of a response that {@link answerInFlight} tells. */
export type AnswerInFlight = Pick<ServerResponse, 'req' | 'headersSent' | 'writableFinished'>

/** The first unfinished answer of a connection: Node keeps it there. `undefined` for a connection that waits. */
export function answerInFlight(socket: object): AnswerInFlight | undefined {
  const answer: unknown = Reflect.get(socket, '_httpMessage')
  return isAnswer(answer) ? answer : undefined
}

function isAnswer(value: unknown): value is AnswerInFlight {
  return typeof value === 'object' && value !== null && 'req' in value && 'headersSent' in value
}
