/**
 * Whether a request failed because the server closed its connection after an earlier response on it. HTTP lets a server
 * close an idle connection at any time, so this alone breaks no rule.
 */
export function closedWhileIdle(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return false
  const socket: unknown = Reflect.get(cause, 'socket')
  // Only a connection that has served a response has read bytes.
  if (typeof socket === 'object' && socket !== null) return Number(Reflect.get(socket, 'bytesRead')) > 0
  return ['ECONNRESET', 'EPIPE'].includes(String(Reflect.get(cause, 'code')))
}

/** Says why a request got no response: `fetch` alone says “fetch failed”. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
