import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { ExchangeLog, recordingFetch } from './exchange.ts'

// Files share a worker: the modules of other files have no mock, and those of this file keep theirs to themselves.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

vi.mock('../shell/connection.ts', () => ({ checkConnection: vi.fn<() => void>() }))
vi.stubGlobal('location', { href: 'http://127.0.0.1:5173/speak' })

afterEach(() => {
  vi.restoreAllMocks()
})

/** Sends a request whose response is given, and reads it to its end. */
async function send(answer: Response | Error, init: RequestInit = {}): Promise<ReturnType<ExchangeLog['get']>[number]> {
  const log = new ExchangeLog()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    if (answer instanceof Error) throw answer
    return answer
  })
  const sent = recordingFetch(log)('http://127.0.0.1:5173/api/v1/audio/speech?a=1', { method: 'POST', ...init })
  await sent.then((response) => response.arrayBuffer()).catch(() => {})
  const exchange = log.find(1)
  if (exchange === undefined) throw new Error('Nothing was recorded')
  return exchange
}

const EVENTS =
  'data: {"type":"speech.created"}\n\ndata: {"type":"speech.audio.delta","audio":"' + 'A'.repeat(100) + '"}\n\n'

test('the request is shown with the path of the service, and without the key', async () => {
  const body = new TextEncoder().encode('{"input":"Hello"}')
  const headers = { authorization: 'Bearer the-server-has-it', 'content-type': 'application/json' }
  const exchange = await send(new Response('{}'), { headers, body })
  expect(exchange).toMatchObject({ method: 'POST', path: '/v1/audio/speech?a=1', state: 'done', status: 200, bytes: 2 })
  expect(exchange.requestBody).toBe('{\n  "input": "Hello"\n}')
  expect(exchange.requestHeaders['authorization']).toBe('Bearer $SVC_AUDIO_API_KEY')
})

test('events are listed with their types, and their audio is shortened', async () => {
  const exchange = await send(new Response(EVENTS, { headers: { 'content-type': 'text/event-stream' } }))
  expect(exchange.events.map(({ type }) => type)).toEqual(['speech.created', 'speech.audio.delta'])
  expect(exchange.events[1]?.data).toContain(`${'A'.repeat(40)}…`)
  expect([exchange.eventCount, exchange.bytes]).toEqual([2, EVENTS.length])
})

test('the bytes pass unchanged', async () => {
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(EVENTS))
  const response = await recordingFetch(new ExchangeLog())('http://127.0.0.1:5173/api/v1/models')
  expect(await response.text()).toBe(EVENTS)
})

test('a failed response is shown with its text', async () => {
  const headers = { 'content-type': 'application/json' }
  const exchange = await send(new Response('{"error":"no"}', { status: 400, headers }))
  expect(exchange).toMatchObject({ state: 'done', status: 400, responseBody: '{"error":"no"}' })
})

test('no response, and a cut response, are failures', async () => {
  expect(await send(new Error('refused'))).toMatchObject({ state: 'failed', error: 'refused' })
  const body = new ReadableStream({
    pull: (controller) => controller.error(new Error('cut')),
  })
  expect(await send(new Response(body))).toMatchObject({ state: 'failed', error: 'cut', status: 200 })
})

test('a reader that stops cancels the response', async () => {
  const cancel = vi.fn<() => void>()
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)), cancel })
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body))
  const log = new ExchangeLog()
  const response = await recordingFetch(log)('http://127.0.0.1:5173/api/v1/models')
  await response.body?.cancel()
  expect(cancel).toHaveBeenCalledOnce()
  expect(log.find(1)?.state).toBe('aborted')
})
