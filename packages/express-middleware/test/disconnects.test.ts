import { readdirSync } from 'node:fs'
import { createTestUpstream, hold, SlowUpload, type TestUpstream, wavFile } from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'
import { transcribeUpload } from '../src/index.ts'
import { KEY, startApp, type TestApp } from './support/app.ts'

const CLIENTS = 500
const AT_ONCE = 25
const MB = 1_000_000

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
})

/** A fixed sequence of numbers from 0 to 1: a failed run can be repeated. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const descriptors = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)

test(`${CLIENTS} clients that disconnect at random points leave nothing open`, async () => {
  upstream = (await createTestUpstream({ apiKey: KEY })).on('*', hold())
  app = await startApp(upstream.url, (routes, client) => {
    routes.post('/', transcribeUpload({ client, model: 'svc-transcribe-1.0' }))
  })
  const { url, reported } = app
  const random = sequence(7)
  const file = wavFile(300_000)

  const disconnectOne = async (): Promise<void> => {
    const upload = new SlowUpload(url)
    const share = random()
    // Before the file, in it, and after the whole form while the service works.
    if (share > 0.1) await upload.send(file.subarray(0, Math.ceil(file.byteLength * Math.min(1, share * 1.2))))
    if (share > 0.85) upload.finish()
    await new Promise(setImmediate)
    upload.leave()
  }
  const round = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, disconnectOne))
  }

  await round(AT_ONCE * 2)
  for (const request of upstream.requests) await request.closed()
  const [openBefore, memoryBefore] = [descriptors(), process.memoryUsage().rss]
  await round(CLIENTS)
  for (const request of upstream.requests) {
    expect(await request.closed()).toBe('closedByClient')
  }
  // A client may disconnect before the app has seen its request.
  await app.errors(Math.max(1, upstream.requests.length))
  expect(new Set(reported.map(({ status }) => status))).toEqual(new Set([499]))
  expect(descriptors()).toBeLessThanOrEqual(openBefore + AT_ONCE)
  // The test's upstream stores its requests, but no file of the uploads' size.
  expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(300 * MB)
})
