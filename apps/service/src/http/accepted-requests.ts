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

/** The part of a response that {@link responseInFlight} tells. */
export type ResponseInFlight = Pick<ServerResponse, 'req' | 'headersSent' | 'writableFinished'>

/** The first unfinished response of a connection: Node keeps it there. `undefined` for a connection that waits. */
export function responseInFlight(socket: object): ResponseInFlight | undefined {
  const response: unknown = Reflect.get(socket, '_httpMessage')
  return isResponse(response) ? response : undefined
}

function isResponse(value: unknown): value is ResponseInFlight {
  return typeof value === 'object' && value !== null && 'req' in value && 'headersSent' in value
}
