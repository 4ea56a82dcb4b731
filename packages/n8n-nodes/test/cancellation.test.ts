import { hold, type RecordedRequest, slowReader } from '@svc-audio/testing'
import type { INodeExecutionData, IRun } from 'n8n-workflow'
import { expect, test } from 'vitest'
import { outputOf, type TestNode } from './support/engine.ts'
import { speech, transcription } from './support/parameters.ts'
import { scripted } from './support/scripted.ts'

/** Continuing on errors, since a cancelled run must not. */
const NODES = [
  { name: 'Speak', parameters: speech({ text: 'Hi' }), onError: 'continueRegularOutput' },
  { name: 'After', parameters: speech({ text: 'Hi' }) },
] as const

const ROUTE = 'POST /v1/audio/speech'

const given = scripted()

/** Runs nodes and cancels the run when `moment` has come. */
function cancelAt(
  moment: (request: RecordedRequest) => Promise<unknown>,
  nodes: readonly TestNode[],
  items: INodeExecutionData[] = [{ json: {} }],
): Promise<IRun> {
  const onStart = (cancel: () => void): void => void given.upstream.waitForRequest().then(moment).then(cancel)
  return given.engine.run(nodes, { items, onStart })
}

test('a run that is cancelled before the response leaves the service, and goes on with no item', async () => {
  given.upstream.on(ROUTE, hold())
  const run = await cancelAt((request) => request.received(), NODES, [{ json: {} }, { json: {} }])
  expect(run.status).toBe('canceled')
  expect(run.data.resultData.runData).not.toHaveProperty('After')
  expect(outputOf(run, 'Speak').filter(({ json }) => 'error' in json)).toEqual([])
  expect(given.upstream.requests).toHaveLength(1)
  expect(await given.upstream.requests[0]?.closed()).toBe('closedByClient')
})

test('a run that is cancelled while audio arrives leaves the service', async () => {
  const begun = Promise.withResolvers<void>()
  const speak = function* make(): Generator<Uint8Array> {
    yield Buffer.alloc(1000)
    // The upstream asks for more when the system has the first bytes.
    begun.resolve()
  }
  given.upstream.on(ROUTE, { headers: { 'content-type': 'audio/wav' }, body: speak(), finish: 'stall' })
  const run = await cancelAt(() => begun.promise, NODES)
  expect(run.status).toBe('canceled')
  expect(run.data.resultData.runData).not.toHaveProperty('After')
  expect(await given.upstream.requests[0]?.closed()).toBe('closedByClient')
})

test('a run that is cancelled during an upload leaves the service in the midst of it', async () => {
  const data = Buffer.alloc(32 * 1024 * 1024).toString('base64')
  const items = [{ json: {}, binary: { data: { data, mimeType: 'audio/wav' } } }]
  const reader = slowReader()
  given.upstream.on('POST /v1/audio/transcriptions', reader)
  reader.read(1)
  const run = await cancelAt((request) => request.received(1), [{ name: 'Listen', parameters: transcription() }], items)
  expect(run.status).toBe('canceled')
  // Node does not see that a connection has closed while nothing is read from it.
  reader.release()
  expect(await given.upstream.requests[0]?.closed()).toBe('closedByClient')
  expect(given.upstream.requests[0]?.complete).toBe(false)
})
