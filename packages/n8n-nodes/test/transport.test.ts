import { InvalidRequestError, type RequestBody, type TransportRequest } from '@svc-audio/core/pure'
import { early, handle, slowReader, status } from '@svc-audio/testing'
import { createRunExecutionData, type IExecuteFunctions } from 'n8n-workflow'
import { beforeEach, describe, expect, test } from 'vitest'
import { n8nTransport } from '../nodes/SvcAudio/client/n8n-transport.ts'
import { scripted } from './support/scripted.ts'

const MEBIBYTE = 1024 * 1024

const given = scripted()

/** The context that n8n gives a node while it runs. */
function nodeContext(): IExecuteFunctions {
  const { workflow, additionalData } = given.engine.prepare([{ name: 'Node' }])
  const node = workflow.getNode('Node')
  if (node === null) throw new Error('The workflow lacks its node')
  const data = { main: [[{ json: {} }]] }
  const run = createRunExecutionData({})
  const { ExecuteContext } = given.engine.core
  const execution = { node, data, source: null }
  const context = new ExecuteContext(workflow, node, additionalData, 'manual', run, 0, [], data, execution, [])
  // n8n's class and its interface differ in whether a workflow must have a name.
  return context as unknown as IExecuteFunctions
}

function requestOf(path: string, body?: RequestBody, signal = new AbortController().signal): TransportRequest {
  const headers = { accept: '*/*', authorization: 'Bearer of the client', 'user-agent': 'svc-audio-core' }
  return { method: body === undefined ? 'GET' : 'POST', url: `${given.upstream.url}${path}`, headers, body, signal }
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

/** A body of 64 MiB that counts what was taken of it, and says when it was left. */
function bigBody(): RequestBody & { readonly taken: () => number; readonly left: Promise<void> } {
  let taken = 0
  const { promise: left, resolve } = Promise.withResolvers<void>()
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (; taken < 64; taken += 1) yield new Uint8Array(MEBIBYTE)
    } finally {
      resolve()
    }
  }
  const length = 64 * MEBIBYTE
  return { contentType: 'audio/wav', contentLength: length, open: chunks, taken: () => taken, left }
}

describe('a request', () => {
  test("a request carries the key of the credentials, not the client's, and asks for no compression", async () => {
    const response = await n8nTransport(nodeContext(), { ignoresCertificates: false }).send(requestOf('/v1/models?x=1'))
    response.body.cancel()
    const [sent] = given.upstream.requests
    expect(sent).toMatchObject({ method: 'GET', route: 'GET /v1/models', authorized: true })
    expect(sent?.query.toString()).toBe('x=1')
    expect(sent?.headers).toMatchObject({
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'svc-audio-core',
    })
  })

  test('a request hands over status, headers and bytes as they came', async () => {
    given.upstream.on(
      '*',
      handle((response) => {
        response.writeHead(418, { 'X-Request-Id': 'r1', 'set-cookie': ['a', 'b'] }).end('short and stout')
      }),
    )
    const response = await n8nTransport(nodeContext(), { ignoresCertificates: false }).send(requestOf('/'))
    expect(response.status).toBe(418)
    expect(response.headers).toMatchObject({ 'x-request-id': 'r1', 'set-cookie': 'a, b' })
    expect((await readAll(response.body)).toString()).toBe('short and stout')
  })
})

describe('an upload', () => {
  test('an upload is read only as fast as the service takes it, and announces its length', async () => {
    const body = bigBody()
    const reader = slowReader({}, status(204))
    given.upstream.on('*', reader)
    const sending = n8nTransport(nodeContext(), { ignoresCertificates: false }).send(requestOf('/', body))
    const request = await given.upstream.waitForRequest()
    expect(body.taken()).toBeLessThan(32)
    reader.release()
    const response = await sending
    response.body.cancel()
    expect(request.bytes).toBe(64 * MEBIBYTE)
    expect(request.headers).toMatchObject({
      'content-length': String(64 * MEBIBYTE),
      'content-type': 'audio/wav',
    })
  })

  test('an upload is left when the service answers before its end', async () => {
    const body = bigBody()
    given.upstream.on('*', early(status(401)))
    const response = await n8nTransport(nodeContext(), { ignoresCertificates: false }).send(requestOf('/', body))
    await readAll(response.body)
    await body.left
    expect(body.taken()).toBeLessThan(64)
  })

  test('an upload is left when the connection breaks', async () => {
    const body = bigBody()
    const sending = n8nTransport(nodeContext(), { ignoresCertificates: false }).send(requestOf('/', body))
    const failing = sending.catch(String)
    const request = await given.upstream.waitForRequest()
    await request.received(1)
    request.cut()
    expect(await failing).toMatch(/closed|ECONN|EPIPE|socket/i)
    await body.left
    expect(body.taken()).toBeLessThan(64)
  })

  test('an upload is left when the signal aborts', async () => {
    const body = bigBody()
    const abort = new AbortController()
    const failing = n8nTransport(nodeContext(), { ignoresCertificates: false })
      .send(requestOf('/', body, abort.signal))
      .catch(String)
    const request = await given.upstream.waitForRequest()
    await request.received(1)
    abort.abort()
    expect(await failing).toContain('canceled')
    await body.left
    expect(body.taken()).toBeLessThan(64)
  })

  test('an upload of unknown length is refused', async () => {
    const body = { ...bigBody(), contentLength: undefined }
    await expect(
      n8nTransport(nodeContext(), { ignoresCertificates: false }).send(requestOf('/', body)),
    ).rejects.toThrow(InvalidRequestError)
    expect(given.upstream.requests).toHaveLength(0)
  })
})

describe('a response', () => {
  beforeEach(() => {
    given.upstream.on('*', { body: [Buffer.from('more to come')], finish: 'stall' })
  })

  test('a response that is given up closes its connection', async () => {
    const response = await n8nTransport(nodeContext(), { ignoresCertificates: false }).send(requestOf('/'))
    response.body.cancel()
    expect(await given.upstream.requests[0]?.closed()).toBe('closedByClient')
  })

  test('a response fails when the signal aborts while nobody reads, and the process lives on', async () => {
    const abort = new AbortController()
    const response = await n8nTransport(nodeContext(), { ignoresCertificates: false }).send(
      requestOf('/', undefined, abort.signal),
    )
    abort.abort()
    expect(await given.upstream.requests[0]?.closed()).toBe('closedByClient')
    await expect(readAll(response.body)).rejects.toThrow('Premature close')
  })
})
