import type { ServerResponse } from 'node:http'
import type { Exchange, HttpReply, Reply } from './reply.ts'

/** Sends a reply. Resolves when nothing remains to send; a stall leaves the connection open. */
export async function sendReply(exchange: Exchange, reply: Reply, cutHere: () => void): Promise<void> {
  if ('handled' in reply) return
  const { response, signal } = exchange
  if ('drop' in reply) {
    close(response, reply.drop, cutHere)
    return
  }
  response.writeHead(reply.status ?? 200, headersOf(reply))
  response.flushHeaders()
  for await (const chunk of chunksOf(reply)) {
    if (!(await write(response, chunk, signal))) return
  }
  const { finish = 'end' } = reply
  if (finish === 'end') response.end()
  else if (finish !== 'stall') close(response, finish, cutHere)
}

/**
 * Resolves when the system has the bytes. They then arrive even if the connection closes next.
 * @returns Whether the connection is still writable.
 */
function write(response: ServerResponse, chunk: Uint8Array, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || chunk.byteLength === 0) return Promise.resolve(!signal.aborted)
  return new Promise((resolve) => {
    const end = (): void => resolve(false)
    signal.addEventListener('abort', end, { once: true })
    // A write to a closed connection fails before `close` is emitted. Only this error ends an endless body.
    response.write(chunk, (error) => {
      signal.removeEventListener('abort', end)
      resolve(error === undefined || error === null)
    })
  })
}

function close(response: ServerResponse, how: 'close' | 'reset', cutHere: () => void): void {
  cutHere()
  if (how === 'reset') response.socket?.resetAndDestroy()
  else response.destroy()
}

/** Headers, with the length of a body in one piece. */
export function headersOf({ headers = {}, body = '' }: HttpReply): Record<string, string> {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return named
  return { 'content-length': String(Buffer.byteLength(body)), ...named }
}

/** A body as pieces. */
export async function* chunksOf({ body = '' }: HttpReply): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof body === 'string') yield Buffer.from(body)
  else if (body instanceof Uint8Array) yield body
  else yield* body
}
