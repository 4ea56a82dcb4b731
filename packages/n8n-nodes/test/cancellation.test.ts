import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Engine, outputOf, startEngine } from './support/engine.ts'
import { speech, transcription } from './support/parameters.ts'
import { KEY } from './support/test-service.ts'
import { readAll, startUpstream, type Upstream } from './support/upstream.ts'

/** Continuing on errors, since a cancelled run must not. */
const NODES = [
  { name: 'Speak', parameters: speech({ text: 'Hi' }), onError: 'continueRegularOutput' },
  { name: 'After', parameters: speech({ text: 'Hi' }) },
] as const

let engine: Engine
let upstream: Upstream

beforeAll(async () => {
  engine = await startEngine({ apiKey: KEY, baseUrl: '' })
})

afterAll(async () => {
  await engine?.close()
})

afterEach(async () => {
  await upstream.close()
})

/** Runs a node against a service that calls `cancel` in the midst; resolves once its connection is gone. */
async function cancelWhen(
  answer: (request: IncomingMessage, response: ServerResponse, cancel: () => void) => void,
  run: (onStart: (cancel: () => void) => void) => ReturnType<Engine['run']>,
): Promise<Awaited<ReturnType<Engine['run']>>> {
  let cancel = (): void => {}
  const left = Promise.withResolvers<void>()
  upstream = await startUpstream((request, response) => {
    request.socket.once('close', () => left.resolve())
    answer(request, response, () => cancel())
  })
  engine.credentials = { apiKey: KEY, baseUrl: upstream.url }
  const result = await run((stop) => {
    cancel = stop
  })
  await left.promise
  return result
}

test('a run that is cancelled before the answer leaves the service, and goes on with no item', async () => {
  const run = await cancelWhen(
    (request, _response, cancel) => void readAll(request).then(cancel),
    (onStart) => engine.run(NODES, { items: [{ json: {} }, { json: {} }], onStart }),
  )
  expect(run.status).toBe('canceled')
  expect(run.data.resultData.runData).not.toHaveProperty('After')
  expect(upstream.requests).toHaveLength(1)
  expect(outputOf(run, 'Speak').filter(({ json }) => 'error' in json)).toEqual([])
})

test('a run that is cancelled while audio arrives leaves the service', async () => {
  const run = await cancelWhen(
    (_request, response, cancel) => {
      response.writeHead(200, { 'content-type': 'audio/wav' })
      response.write(Buffer.alloc(1000), () => cancel())
    },
    (onStart) => engine.run(NODES, { onStart }),
  )
  expect(run.status).toBe('canceled')
  expect(run.data.resultData.runData).not.toHaveProperty('After')
})

test('a run that is cancelled during an upload leaves the service in the midst of it', async () => {
  const data = Buffer.alloc(32 * 1024 * 1024).toString('base64')
  const items = [{ json: {}, binary: { data: { data, mimeType: 'audio/wav' } } }]
  const run = await cancelWhen(
    (request, _response, cancel) => {
      request.once('data', () => {
        request.pause()
        cancel()
        setImmediate(() => request.resume())
      })
    },
    (onStart) => engine.run([{ name: 'Listen', parameters: transcription() }], { items, onStart }),
  )
  expect(run.status).toBe('canceled')
  expect(upstream.requests[0]?.complete).toBe(false)
})
