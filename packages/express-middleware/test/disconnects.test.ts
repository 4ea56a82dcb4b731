import { fileURLToPath } from 'node:url'
import {
  createTestUpstream,
  hold,
  type RunningScript,
  SlowUpload,
  startScript,
  type TestUpstream,
  wavFile,
} from '@svc-audio/testing'
import { afterEach, expect, test } from 'vitest'

const CLIENTS = 500
const AT_ONCE = 25
/** Emitters of an idle connection in the client's pool, at most. A leaked request would be one for each of the clients. */
const EMITTERS_PER_CONNECTION = 4
/** 400 bytes for each client: less than the smallest object that a request could leave. */
const HEAP_GROWTH_BYTES = 500_000
// `v8.queryObjects` is experimental.
const NODE_OPTIONS = ['--expose-gc', '--disable-warning=ExperimentalWarning']
const APP = fileURLToPath(new URL('support/disconnects-app.js', import.meta.url))

/** What the app's process holds. */
interface Held {
  readonly open: Readonly<Record<string, unknown>>
  readonly live: Readonly<Record<string, number>>
  readonly listeners: Readonly<Record<string, unknown>>
  readonly heapBytes: number
  readonly statuses: Readonly<Record<string, number>>
}

let upstream: TestUpstream | undefined
let app: RunningScript | undefined
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

test(`${CLIENTS} clients that disconnect at random points leave no handle, object, listener or memory`, async () => {
  upstream = (await createTestUpstream({ apiKey: 'key' })).on('*', hold())
  app = await startScript(APP, { args: [upstream.url], nodeOptions: NODE_OPTIONS })
  const { printed: url } = app
  const file = wavFile(300_000)

  const disconnectOne = async (share: number): Promise<void> => {
    const upload = new SlowUpload(`${url}/transcribe`)
    // Before the file, in it, and after the whole form while the service works.
    if (share > 0.1) await upload.send(file.subarray(0, Math.ceil(file.byteLength * Math.min(1, share * 1.2))))
    if (share > 0.85) upload.finish()
    await new Promise(setImmediate)
    upload.leave()
  }
  const round = async (clients: number): Promise<Held> => {
    const random = sequence(7)
    for (let done = 0; done < clients; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => disconnectOne(random())))
    }
    for (const request of upstream?.requests ?? []) expect(await request.closed()).toBe('closedByClient')
    await upstream?.idle()
    const response = await fetch(`${url}/held`)
    return (await response.json()) as Held
  }

  // The first round compiles the code and fills caches.
  await round(100)
  const before = await round(CLIENTS)
  const after = await round(CLIENTS)
  expect(upstream.requests.length).toBeGreaterThan(CLIENTS)
  expect(Object.keys(after.statuses)).toEqual(['499'])
  expect(after.open).toEqual(before.open)
  // The client's pool keeps a connection for each of the most calls at once, which differ from round to round.
  expect((after.live['emitters'] ?? 0) - (before.live['emitters'] ?? 0)).toBeLessThan(AT_ONCE * EMITTERS_PER_CONNECTION)
  expect(after.live['targets']).toBe(before.live['targets'])
  expect(after.listeners).toEqual(before.listeners)
  // A single leaked connection per client would be megabytes.
  expect(after.heapBytes - before.heapBytes).toBeLessThan(HEAP_GROWTH_BYTES)
})
