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

/**
 * Answers of S3 that are no outage: an object that it does not show yet, another region, an error behind 200, metadata that
 * it does not keep, a locked object, a list of the past.
 */
export const S3_ODD_ANSWERS = [
  'early 404',
  'another region',
  'error in 200',
  'no metadata',
  'no metadata and half of the body',
  'refused delete',
  'stale list',
] as const

/** Faults of one request to S3. Those of a body hit reads alone. */
export const S3_FAULTS = [
  ...S3_ODD_ANSWERS,
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
      sendError(response, S3_ERRORS[fault], fault)
    } else if (fault === 'early 404') {
      if (incoming.method === 'PUT' || incoming.method === 'POST') send(response, await forward(incoming, body))
      else sendError(response, 404, 'NoSuchKey')
    } else if (fault === 'another region') {
      sendError(response, 301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-north-1' })
    } else if (fault === 'error in 200') sendError(response, 200, 'InternalError')
    else if (fault === 'refused delete') await refuseDelete(incoming, body, response, forward)
    else if (fault === 'stale list' && /[?&]list-type/.test(incoming.url ?? '')) send(response, STALE_LIST)
    else spoil(fault, response, await forward(incoming, body))
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

function sendError(response: ServerResponse, status: number, code: string, more: OutgoingHttpHeaders = {}): void {
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>a scripted error</Message></Error>`
  send(response, { status, headers: { 'content-type': 'application/xml', ...more }, body: Buffer.from(xml) })
}

/** A list that has an object that is gone, and no other. */
const STALE_LIST: Answer = {
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(
    `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>
    <Contents><Key>uploads/gone</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents></ListBucketResult>`,
  ),
}

/** Refuses to delete an object, of many the first one. */
async function refuseDelete(
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  forward: (incoming: IncomingMessage, body: Buffer) => Promise<Answer>,
): Promise<void> {
  if (incoming.method === 'DELETE') return sendError(response, 403, 'AccessDenied')
  const [, key] = /<Key>(?<key>[^<]+)<\/Key>/.exec(body.toString()) ?? []
  if (incoming.method !== 'POST' || key === undefined) return send(response, await forward(incoming, body))
  const xml = `<?xml version="1.0"?><DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Error><Key>${key}</Key>
    <Code>AccessDenied</Code><Message>Object is locked</Message></Error></DeleteResult>`
  send(response, { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(xml) })
}

/** Sends a response with a wrong body or tag, or without metadata. */
function spoil(fault: string, response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = answer
  const half = body.subarray(0, body.length / 2)
  if (fault.startsWith('no metadata')) {
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-amz-meta-')))
    const isHalf = fault !== 'no metadata' && status < 300 && body.length > 0
    send(
      response,
      isHalf
        ? { status, headers: { ...kept, 'content-length': half.length }, body: half }
        : { ...answer, headers: kept },
    )
  } else if (fault === 'wrong ETag')
    send(response, { ...answer, headers: { ...headers, etag: '"0123456789abcdef-7"' } })
  else if (status >= 300 || body.length === 0) send(response, answer)
  else if (fault === 'other bytes') send(response, { ...answer, body: Buffer.alloc(body.length, 'x') })
  else if (fault === 'truncated body') {
    send(response, { status, headers: { ...headers, 'content-length': half.length }, body: half })
  } else {
    response.writeHead(status, headers)
    response.write(half, () => response.destroy())
  }
}
