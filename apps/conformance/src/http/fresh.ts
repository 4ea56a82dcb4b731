import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'

/** A request on a connection of its own. */
export interface FreshRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

/** Sends a request on a new connection, which `fetch` cannot ask for, and reads its response. */
export async function sendFresh({ method, url, headers, body, signal }: FreshRequest): Promise<Response> {
  const call = (url.startsWith('https:') ? secureRequest : request)(url, { method, headers, signal, agent: false })
  const answered: Promise<IncomingMessage[]> = once(call, 'response')
  call.end(body)
  const [response] = await answered
  if (response === undefined) throw new Error('no response')
  const { statusCode = 0, rawHeaders } = response
  const bytes = new Uint8Array(await buffer(response))
  const named = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
  )
  return new Response(bytes.byteLength > 0 ? bytes : null, { status: statusCode, headers: named })
}
