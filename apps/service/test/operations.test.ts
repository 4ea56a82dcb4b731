import { once } from 'node:events'
import { Agent, get as httpGet } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHttpListener } from '../src/http/listener.ts'
import { parsePrometheus, type Samples } from './support/telemetry.ts'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Hello there.', voice_id: 'rms' }

async function readMetrics(url: string): Promise<Samples> {
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return parsePrometheus(await response.text())
}

describe('readiness', () => {
  test('a started service is ready, without a key', async () => {
    const response = await fetch(`${service.url}/readyz`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ready' })
  })

  test('a starting service is alive, not ready, and refuses all other requests', async () => {
    const { server } = await openHttpListener('127.0.0.1', 0)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const ready = await fetch(`${url}/readyz?from=probe`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({ status: 'starting' })
    const other = await fetch(`${url}/v1/audio/speech`, { method: 'POST', body: 'x'.repeat(1_000_000) })
    expect(other.headers.get('retry-after')).toBe('1')
    expect(await errorOf(other)).toEqual({ status: 503, code: 'starting', param: null })
    server.close()
    await once(server, 'close')
  })

  test('a stopping service finishes its work, is not ready, and accepts nothing new', async () => {
    const stopping = await startTestService({ stopTimeout: 60_000 })
    // Two connections open before the stop, as load balancers hold them.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await status(stopping.url, '/healthz', agent)
    const long = { ...SPEECH, input: 'This is a long text to be spoken. '.repeat(120), stream: true }
    const response = await stopping.request('POST', '/v1/audio/speech', { ...long, response_format: 'pcm' })
    const reader = response.body?.getReader()
    await reader?.read()
    const closed = stopping.stop()
    expect(await status(stopping.url, '/healthz', agent)).toEqual({ status: 200, body: { status: 'ok' } })
    expect(await status(stopping.url, '/readyz', agent)).toEqual({ status: 503, body: { status: 'stopping' } })
    expect(await status(stopping.url, '/v1/models', agent)).toMatchObject({
      status: 503,
      body: { error: { code: 'shutting_down' } },
    })
    while ((await reader?.read())?.done === false);
    await closed
    await expect(status(stopping.url, '/healthz', new Agent())).rejects.toThrow(/ECONNREFUSED/)
    agent.destroy()
    await rm(stopping.dataDir, { recursive: true })
  })

  test('a failed start releases the port', async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as AddressInfo
    probe.close()
    await once(probe, 'close')
    await expect(startTestService({ port, dataDir: service.dataDir })).rejects.toThrow(/in use/)
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-test-'))
    const again = await startTestService({ port, dataDir })
    await again.close()
  })
})

describe('metrics', () => {
  test('are valid, and count requests by route and status, without text from callers', async () => {
    await (await service.request('GET', '/v1/models')).text()
    await (await service.request('GET', '/v1/audio/tasks/task_secret-of-mine')).text()
    await (await service.request('GET', '/made/up/path-of-mine')).text()
    const text = await (await fetch(`${service.url}/metrics`)).text()
    const samples = parsePrometheus(text)
    const requests = (route: string, code: number) =>
      samples.get(`svc_audio_http_requests_total{method="GET",route="${route}",status="${code}"}`)
    expect(requests('/v1/models', 200)).toBe(1)
    expect(requests('/v1/audio/tasks/:task_id', 404)).toBe(1)
    expect(requests('none', 404)).toBe(1)
    expect(samples.get('svc_audio_http_request_duration_seconds_count{method="GET",route="/v1/models"}')).toBe(1)
    for (const word of ['of-mine', '"first"', '"second"', KEY]) expect(text).not.toContain(word)
  })

  test('cover tasks, webhooks, engines and storage', async () => {
    const task = await service.audio.speech.createTask(SPEECH)
    await task.wait({ pollInterval: 50 })
    const samples = await readMetrics(service.url)
    expect(samples.get('svc_audio_ready')).toBe(1)
    expect(samples.get('svc_audio_tasks_ended_total{status="SUCCESS"}')).toBe(1)
    expect(samples.get('svc_audio_tasks_ended_total{status="FAILED"}')).toBe(0)
    expect(samples.get('svc_audio_tasks_queued')).toBe(0)
    expect(samples.get('svc_audio_webhooks_pending')).toBe(0)
    expect(samples.get('svc_audio_stored_bytes{area="results"}')).toBeGreaterThan(1000)
    expect(samples.get('svc_audio_storage_free_bytes')).toBeGreaterThan(0)
    for (const engine of ['speech', 'recognition', 'diarization', 'analysis']) {
      expect(samples.get(`svc_audio_engine_threads{engine="${engine}"}`)).toBeGreaterThan(0)
      expect(samples.get(`svc_audio_engine_waiting{engine="${engine}"}`)).toBe(0)
    }
    for (const engine of ['speech', 'recognition', 'diarization']) {
      expect(samples.get(`svc_audio_engine_up{engine="${engine}"}`)).toBe(1)
    }
    expect(samples.get('svc_audio_engine_busy_threads{engine="recognition"}')).toBe(0)
    expect(samples.get('svc_audio_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  })

  test("need their token if one is set, and reject a tenant's key", async () => {
    const guarded = await startTestService({ metricsToken: 'a-token-for-prometheus' })
    for (const authorization of ['', `Bearer ${KEY}`, 'Bearer a-token-for-prometheu', 'a-token-for-prometheus']) {
      const response = await fetch(`${guarded.url}/metrics`, { headers: { authorization } })
      expect(await errorOf(response)).toMatchObject({ status: 401, code: 'invalid_metrics_token' })
    }
    const headers = { authorization: 'Bearer a-token-for-prometheus' }
    expect((await fetch(`${guarded.url}/metrics`, { headers })).status).toBe(200)
    await guarded.close()
  })
})

/** Sends a request on a connection that stays open, as probes do. */
async function status(url: string, path: string, agent: Agent): Promise<{ status: number | undefined; body: unknown }> {
  const headers = { authorization: `Bearer ${KEY}` }
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: unknown }>()
  httpGet(`${url}${path}`, { agent, headers }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (part: string) => (text += part))
    response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }))
  }).on('error', reject)
  return promise
}
