import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BEHAVIOUR_ROWS } from '@svc-audio/kit/behaviour'
import { AudioClient } from '@svc-audio/core'
import { cleanProject, type CleanProject } from '@svc-audio/kit/hosts'
import { createTestUpstream, type TestUpstream, uploadForm, wavFile } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AppServer,
  RUNTIME_DEPENDENCIES,
  runtimeBinary,
  startApp,
  startWorker,
  webhooksOf,
} from '../test-hosts/support/app-server.ts'

// The handlers for Web requests on Bun, Deno and workerd, with the packed packages in an empty project.

const FILES = ['routes.mjs', 'serve-bun.mjs', 'serve-deno.mjs', 'serve-worker.mjs', 'bundle-worker.mjs']

let project: CleanProject
let upstream: TestUpstream
let client: AudioClient

beforeAll(async () => {
  const files: Record<string, string> = {}
  for (const name of FILES)
    files[name] = await readFile(join(import.meta.dirname, '../test-hosts/support', name), 'utf8')
  project = await cleanProject({
    packages: ['@svc-audio/core', '@svc-audio/upload'],
    manifest: { type: 'module' },
    dependencies: RUNTIME_DEPENDENCIES,
    files,
  })
  upstream = await createTestUpstream({ transcript: 'hello', speechSeconds: 0.2 })
  client = new AudioClient({ apiKey: upstream.apiKey, baseUrl: upstream.url })
})
afterAll(async () => {
  await client?.close()
  await upstream?.close()
  await project?.[Symbol.asyncDispose]()
})

const worker = (compatibilityDate: string): Promise<AppServer> =>
  startWorker({ project, upstream, entry: 'serve-worker.mjs', compatibilityDate })

/** Starts the app on a runtime. */
const START: Readonly<Record<string, () => Promise<AppServer>>> = {
  Bun: async () => startApp({ project, upstream, command: () => [runtimeBinary(project, 'bun'), 'serve-bun.mjs'] }),
  Deno: async () => {
    const command = [runtimeBinary(project, 'deno'), 'run', '--allow-all', 'serve-deno.mjs'] as const
    return startApp({ project, upstream, command: () => command })
  },
  workerd: async () => worker('2026-03-01'),
  // The oldest supported date: timers are numbers, and there is no `node:http2`.
  'workerd as of 2024-09-23': async () => worker('2024-09-23'),
}

const ON_WORKERD = [
  // workerd may close a connection whose body is unread when the response is sent.
  'an error of an option of the app belongs to the app, and nothing reaches the service',
  'an upload that a guard of the app refuses gets the response of the guard, and nothing reaches the service',
  // Only the next write shows the disconnect, also with the flag `enable_request_signal`.
  'a client that disconnects before the first audio aborts the call',
  'a client that disconnects in mid-speech aborts the call',
]

/** Deno 2.9 and workerd notice the end of a connection at the next write, once the body of its request has arrived. */
const AFTER_UPLOAD = ['/files', '/live'].map(
  (path) => `a client that disconnects while the service works for ${path} aborts the call`,
)

/** Rows of the table that do not hold on a runtime. docs/frameworks.md states them. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  // Bun sends nothing of the response while the upload stalls, and cuts the connection after the time of `drain`.
  Bun: [
    'an early 401 of the service is answered before the upload has ended',
    // The same: the connection is cut without the response.
    'a client that stops sending is 408',
  ],
  Deno: AFTER_UPLOAD,
  workerd: [...ON_WORKERD, ...AFTER_UPLOAD],
  'workerd as of 2024-09-23': [...ON_WORKERD, ...AFTER_UPLOAD],
}

describe.each(Object.entries(START))('on %s', (name, start) => {
  let url = ''
  let app: AppServer
  beforeAll(async () => {
    app = await start()
    url = app.url
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const post = async (path: string, body: FormData | string): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      body,
      headers: typeof body === 'string' ? { 'content-type': 'application/json' } : {},
    })

  const rows = BEHAVIOUR_ROWS.filter(({ fact }) => DIFFERENCES[name]?.includes(fact) !== true)
  test.each(rows)('$fact', async ({ observe, expected }) => {
    upstream.reset()
    expect(await observe({ url, upstream, client, ...webhooksOf(url) })).toEqual(expected)
  })

  test('a file of 30 MB reaches the service unchanged, and a refused one is answered', async () => {
    const content = wavFile(30_000_000)
    expect((await post('/large', uploadForm(content))).status).toBe(200)
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect(upstream.requests.at(-1)).toMatchObject({ form: { files: [{ sha256 }] } })
    expect((await post('/large', uploadForm(content, { field: 'photo' }))).status).toBe(400)
  })
})
