// docs/recipes/express-webhooks.md as printed: no order of the calls loses a result.
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { createTestUpstream, type Exchange, json, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
// @boundaries-ignore the recipe is tested as it is printed
import { createApp } from '../../../examples/express/app.ts'
import { KEY } from './support/app.ts'

const CREATE = 'POST /v1/audio/transcriptions'

let upstream: TestUpstream
let base: string
let stop: () => Promise<void>
beforeEach(async () => {
  upstream = await createTestUpstream({ apiKey: KEY, transcript: 'hello' })
  const { app, client } = createApp({
    apiKey: KEY,
    baseUrl: upstream.url,
    folder: '/nonexistent',
    publicUrl: 'https://app.example',
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stop = async () => {
    server.closeAllConnections()
    server.close()
    await client.close()
  }
})
afterEach(async () => {
  await stop()
  await upstream.close()
})

const post = (): Promise<Response> =>
  fetch(`${base}/transcribe/jobs`, { method: 'POST', body: uploadForm(wavFile(2000)) })
const job = async (path: string | null): Promise<unknown> => (await fetch(base + String(path))).json()

/** Calls the webhook, as the service does. */
async function call(url: string, id: string): Promise<number> {
  const { pathname, search } = new URL(url)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ id })
  return (await fetch(base + pathname + search, { method: 'POST', headers, body })).status
}

/** The address that the service gets, when it has read the request. */
async function addressOf(exchange: Exchange): Promise<string> {
  await exchange.received()
  return exchange.request.form?.fields['webhook_url']?.[0] ?? ''
}

test('a webhook before the response is refused, and the second and third call complete the job once', async () => {
  const early: number[] = []
  let url = ''
  upstream.next(CREATE, async (exchange) => {
    url = await addressOf(exchange)
    early.push(await call(url, 'not-known-yet'), await call(url, 'not-known-yet'))
    return exchange.happy()
  })
  const response = await post()
  expect([response.status, early]).toEqual([202, [503, 503]])
  const path = response.headers.get('location')
  expect(await job(path)).toEqual({ status: 'PENDING' })
  const id = await created(response)
  await upstream.completeTask(id)
  expect(await Promise.all([call(url, id), call(url, id)])).toEqual([200, 200])
  expect(await job(path)).toEqual({ status: 'SUCCESS', text: 'hello' })
})

test('a task whose id never reaches the app completes its job by its webhook', async () => {
  let [url, id] = ['', '']
  upstream.next(CREATE, async (exchange) => {
    url = await addressOf(exchange)
    const reply = await exchange.happy()
    if ('body' in reply && typeof reply.body === 'string') id = await created(new Response(reply.body))
    return json({ error: { message: 'The response is lost' } }, { status: 500 })
  })
  const response = await post()
  expect(response.status).toBe(502)
  await upstream.completeTask(id)
  expect(await call(url, id)).toBe(200)
  expect(await job(response.headers.get('location'))).toEqual({ status: 'SUCCESS', text: 'hello' })
})

/** The id of a created task. */
async function created(response: Response): Promise<string> {
  const body: unknown = await response.json()
  return String(Reflect.get(new Object(body), 'task_id'))
}
