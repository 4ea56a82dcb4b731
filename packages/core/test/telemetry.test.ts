import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { describe, expect, test } from 'vitest'
import type { LogFields, Tracer } from '../src/index.ts'
import { telemetry } from '../src/adapter.ts'
import { API_KEY, connect, rejection } from './support/clients.ts'
import { hastyClient } from './support/hasty-client.ts'
import { readBody, startServer, type TestServer } from './support/servers.ts'
import { SPEECH } from './support/speech.ts'

const BODY = { ...SPEECH, input: 'a very private sentence' }

/** A tracer as applications have it, and the spans that ended. */
function tracing(): { tracer: Tracer; spans: () => ReadableSpan[] } {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  return { tracer: provider.getTracer('test'), spans: () => exporter.getFinishedSpans() }
}

/** A logger, and what it was told. */
function logging(): { logger: { debug: (message: string, fields: LogFields) => void }; lines: [string, LogFields][] } {
  const lines: [string, LogFields][] = []
  return { logger: { debug: (message, fields) => void lines.push([message, fields]) }, lines }
}

/** A service that answers with these statuses in turn and repeats the whole request in each. */
function startEcho(...statuses: readonly number[]): Promise<TestServer> {
  let count = 0
  return startServer(async (request, response) => {
    const said = `${request.headers.authorization} ${(await readBody(request)).toString()}`
    const status = statuses[Math.min(count++, statuses.length - 1)] ?? 200
    response.writeHead(status, { 'content-type': status === 200 ? 'audio/wav' : 'text/plain', 'x-request-id': 'req-7' })
    response.end(said)
  })
}

describe('a span', () => {
  test('covers the call and its retries until the audio is read', async () => {
    const { tracer, spans } = tracing()
    const server = await startEcho(503, 200)
    const { client } = hastyClient(server.url, { observe: telemetry({ tracer }) })
    const audio = await client.speech.create(BODY)
    expect(spans()).toHaveLength(0)
    await audio.bytes()
    expect(spans()).toMatchObject([
      {
        name: 'svc_audio speech.create',
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.UNSET },
        attributes: {
          'http.request.method': 'POST',
          'url.full': `${server.url}/v1/audio/speech`,
          'http.response.status_code': 200,
          'http.request.resend_count': 1,
          'svc_audio.request_id': 'req-7',
          'gen_ai.request.model': 'svc-tts-1.5-flash',
        },
      },
    ])
  })

  test('is the parent of the service’s span, through traceparent', async () => {
    const { tracer, spans } = tracing()
    const server = await startEcho(200)
    await (await connect(server.url, { tracer }).speech.create(BODY)).bytes()
    const { traceId, spanId } = spans()[0]?.spanContext() ?? { traceId: '', spanId: '' }
    expect(server.requests[0]?.headers['traceparent']).toBe(`00-${traceId}-${spanId}-01`)
  })

  test('of a failed call has the error, and ends', async () => {
    const { tracer, spans } = tracing()
    const server = await startEcho(403)
    await rejection(connect(server.url, { tracer }).speech.create(BODY))
    expect(spans()).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': 'ApiError', 'http.response.status_code': 403 },
      },
    ])
  })

  test('of a cut body has the error too', async () => {
    const { tracer, spans } = tracing()
    const server = await startServer((_, response) => {
      response
        .writeHead(200, { 'content-type': 'audio/wav', 'content-length': '100' })
        .write('abc', () => response.destroy())
    })
    await rejection((await connect(server.url, { tracer }).speech.create(BODY)).bytes())
    expect(spans()).toMatchObject([{ attributes: { 'error.type': 'StreamTruncatedError' } }])
  })

  test('of an aborted call ends', async () => {
    const { tracer, spans } = tracing()
    const server = await startServer(() => {})
    const signal = AbortSignal.timeout(30)
    await rejection(connect(server.url, { tracer }).speech.create(BODY, { signal }))
    expect(spans()).toMatchObject([{ attributes: { 'error.type': 'TimeoutError' } }])
  })

  test('has the text only with traceContent', async () => {
    const server = await startEcho(200)
    const asked = tracing()
    const { tracer, spans } = tracing()
    await (await connect(server.url, { tracer: asked.tracer, traceContent: true }).speech.create(BODY)).bytes()
    await (await connect(server.url, { tracer }).speech.create(BODY)).bytes()
    expect(asked.spans()).toMatchObject([{ attributes: { 'svc_audio.input': BODY.input } }])
    expect(JSON.stringify(spans().map(({ attributes, events }) => [attributes, events]))).not.toContain('private')
  })
})

describe('the logger', () => {
  test('receives every step', async () => {
    const { logger, lines } = logging()
    const server = await startEcho(503, 200)
    const { client } = hastyClient(server.url, { observe: telemetry({ logger }) })
    await (await client.speech.create(BODY)).bytes()
    const call = { operation: 'speech.create', method: 'POST', path: '/v1/audio/speech' }
    expect(lines).toMatchObject([
      ['speech.create answered', { ...call, retries: 0, status: 503, requestId: 'req-7' }],
      ['speech.create will be retried', { ...call, retries: 0, delay: 500, error: 'ApiError' }],
      ['speech.create answered', { ...call, retries: 1, status: 200, requestId: 'req-7' }],
      ['speech.create ended', { ...call, retries: 1, milliseconds: 500 }],
    ])
  })

  test('may be the console', async () => {
    const server = await startEcho(200)
    const quiet: Pick<Console, 'debug'> = { debug: () => {} }
    await (await connect(server.url, { logger: quiet }).speech.create(BODY)).bytes()
    expect(server.requests).toHaveLength(1)
  })
})

test.each([200, 400, 429, 500])(
  'neither hears of the key or the text, whatever the service repeats with %d',
  async (status) => {
    const { tracer, spans } = tracing()
    const { logger, lines } = logging()
    const server = await startEcho(status)
    const { client } = hastyClient(server.url, { observe: telemetry({ tracer, logger }) })
    await client.speech.create(BODY).then(
      (audio) => audio.bytes(),
      () => {},
    )
    const told = JSON.stringify([
      lines,
      spans().map(({ name, attributes, events, status: end }) => [name, attributes, events, end]),
    ])
    expect(told).toContain('speech.create')
    expect(told).not.toContain(API_KEY)
    expect(told).not.toContain('private')
  },
)
