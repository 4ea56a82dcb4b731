import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { S3_CREDENTIALS } from '../s3/server.ts'
import { Program } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Cluster, KEYS, startCluster } from './cluster.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`

let cluster: Cluster
let folder: string
let receiver: Receiver
let api: Program
let worker: Program
let url: string
beforeAll(async () => {
  ;[cluster, receiver, folder] = await Promise.all([
    startCluster(),
    startReceiver(() => 204),
    mkdtemp(join(tmpdir(), 'svc-audio-traces-')),
  ])
  const environment = {
    ...S3_CREDENTIALS,
    DATABASE_URL: cluster.postgres.url,
    SVC_AUDIO_SECRET_KEY: 'a-key-of-at-least-32-characters-for-tests',
    S3_BUCKET: cluster.s3.bucket,
    S3_ENDPOINT: cluster.s3.endpoint,
    SVC_AUDIO_API_KEYS: `first:${KEYS.first}`,
    SVC_AUDIO_LOG_LEVEL: 'info',
  }
  const start = (role: string): Program => {
    const args = ['--port', '0', '--data-dir', role, '--role', role, '--public-url', 'http://127.0.0.1:1']
    return new Program(folder, [...args, '--webhook-allow', 'http://127.0.0.1', '--stop-seconds', '0'], environment)
  }
  api = start('api')
  worker = start('worker')
  url = await api.ready()
  await worker.ready()
})
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()])
  receiver.close()
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
})

function linesOf({ stderr }: Program): Record<string, unknown>[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('one trace id leads from the request at an API process over the worker’s log to the webhook', async () => {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEYS.first}`,
      'content-type': 'application/json',
      traceparent: TRACEPARENT,
      tracestate: 'vendor=1',
    },
    body: JSON.stringify({
      model: 'svc-tts-1.0-pro',
      input: 'The train leaves at seven.',
      voice_id: 'rms',
      response_format: 'wav',
      async: true,
      webhook_url: receiver.url,
    }),
  })
  const { id } = (await response.json()) as { id: string }
  const reqId = response.headers.get('x-request-id')
  await expect.poll(() => receiver.calls.length, { timeout: 60_000 }).toBe(1)
  expect(receiver.calls[0]?.headers).toMatchObject({ traceparent: TRACEPARENT, tracestate: 'vendor=1' })
  const find = (program: Program, msg: string) => linesOf(program).find((line) => line['msg'] === msg)
  await expect.poll(() => find(worker, 'a task has ended'), { timeout: 10_000 }).toBeDefined()
  expect(find(worker, 'a task has ended')).toMatchObject({ task: id, trace: TRACE, reqId, tenant: 'first' })
  expect(find(api, 'request completed')).toMatchObject({ reqId, res: { trace: TRACE, tenant: 'first' } })
})

test('usage of the API processes and of the workers is in one place', async () => {
  const headers = { authorization: `Bearer ${KEYS.first}` }
  await (await fetch(`${url}/v1/models`, { headers })).text()
  const environment = { DATABASE_URL: cluster.postgres.url, S3_BUCKET: cluster.s3.bucket }
  const usage = async () => {
    const program = new Program(folder, ['usage', '--tenant', 'first', '--from', '2000-01-01', '--json'], environment)
    expect(await program.exit()).toBe(0)
    return JSON.parse(program.stdout) as { tenants: { total: Record<string, number> }[] }
  }
  await expect.poll(async () => (await usage()).tenants[0]?.total['requests'], { timeout: 30_000 }).toBe(2)
  const [first] = (await usage()).tenants
  expect(first?.total).toMatchObject({ tasks_succeeded: 1, tasks_failed: 0, characters: 26 })
  expect(first?.total['speech_seconds']).toBeGreaterThan(0.5)
  expect(first?.total['stored_bytes']).toBeGreaterThan(10_000)
})
