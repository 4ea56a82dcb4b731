import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { MessageProxy } from './postgres-proxy.ts'
import type { FaultScript } from './script.ts'

/** Errors that S3 sends instead of a response: status by code. */
export const S3_ERRORS: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  ExpiredToken: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  NoSuchBucket: 404,
  RequestTimeTooSkewed: 403,
  SlowDown: 503,
}

/** Faults of one request to S3. Those of a body hit reads alone. */
export const S3_FAULTS = [
  'lost request',
  'lost answer',
  'delayed request',
  'doubled request',
  'cut body',
  'truncated body',
  'other bytes',
  'wrong ETag',
  ...Object.keys(S3_ERRORS),
]

interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/** Starts a proxy in front of S3. Each request asks the script for its fault. */
export async function startS3Proxy(endpoint: string, script: FaultScript): Promise<MessageProxy> {
  const { port } = new URL(endpoint)
  const forward = async (incoming: IncomingMessage, body: Buffer): Promise<Answer> => {
    const { method, url: path, headers } = incoming
    const sent = request({ host: '127.0.0.1', port, method, path, headers })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) }
  }
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming)
    const fault = script.next('s3', `${incoming.method} ${incoming.url?.split('?', 1)[0]}`)
    if (fault === undefined) send(response, await forward(incoming, body))
    else if (fault === 'lost request') response.destroy()
    else if (fault === 'lost answer') {
      await forward(incoming, body)
      response.destroy()
    } else if (fault === 'delayed request') {
      script.hold(async () => void (await forward(incoming, body)))
      response.destroy()
    } else if (fault === 'doubled request') {
      send(response, await forward(incoming, body))
      script.hold(async () => void (await forward(incoming, body)))
    } else if (S3_ERRORS[fault] !== undefined) {
      const xml = `<?xml version="1.0"?><Error><Code>${fault}</Code><Message>a scripted error</Message></Error>`
      const headers = { 'content-type': 'application/xml' }
      send(response, { status: S3_ERRORS[fault], headers, body: Buffer.from(xml) })
    } else spoil(fault, response, await forward(incoming, body))
  }
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  return {
    port: address.port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body)
}

/** Sends a response with a wrong body or tag. */
function spoil(fault: string, response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = answer
  const half = body.subarray(0, body.length / 2)
  if (fault === 'wrong ETag') send(response, { ...answer, headers: { ...headers, etag: '"0123456789abcdef-7"' } })
  else if (status >= 300 || body.length === 0) send(response, answer)
  else if (fault === 'other bytes') send(response, { ...answer, body: Buffer.alloc(body.length, 'x') })
  else if (fault === 'truncated body') {
    send(response, { status, headers: { ...headers, 'content-length': half.length }, body: half })
  } else {
    response.writeHead(status, headers)
    response.write(half, () => response.destroy())
  }
}
