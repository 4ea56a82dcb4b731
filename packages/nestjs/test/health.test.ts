import { Controller, Get } from '@nestjs/common'
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus'
import { createTestUpstream, hold, status, type TestUpstream } from '@svc-audio/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { AudioModule } from '../src/index.ts'
import { AudioHealthIndicator } from '../src/terminus/index.ts'
import { PLATFORMS, startApp, type TestApp } from './support/app.ts'

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
  deadline = 30_000
})

/** Deadline of the check, in milliseconds. Long enough for a busy machine. */
let deadline = 30_000

@Controller('health')
class Health {
  constructor(
    private readonly health: HealthCheckService,
    private readonly audio: AudioHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.audio.isHealthy('audio', { timeout: deadline, maxAge: 30_000 })])
  }
}

describe.each(PLATFORMS)('on %s', (platform) => {
  async function start(): Promise<{ service: TestUpstream; check: () => Promise<[number, unknown]> }> {
    upstream = await createTestUpstream()
    const { apiKey, url: baseUrl } = upstream
    const imports = [AudioModule.forRoot({ apiKey, baseUrl }), TerminusModule.forRoot({ logger: false })]
    app = await startApp(platform, { imports, controllers: [Health], providers: [AudioHealthIndicator] })
    const { url } = app
    const check = async (): Promise<[number, unknown]> => {
      const response = await fetch(`${url}/health`)
      const { details } = (await response.json()) as { details: { audio: unknown } }
      return [response.status, details.audio]
    }
    return { service: upstream, check }
  }

  test('a service that answers is up, and gets one call for many probes', async () => {
    const { service, check } = await start()
    const responses = await Promise.all([check(), check(), check()])
    expect(responses).toEqual([1, 2, 3].map(() => [200, { status: 'up' }]))
    expect(service.requests).toHaveLength(1)
  })

  test.each([
    ['fails', status(500, { error: { code: 'x', message: 'sekret' } }), 30_000, 'audio_service_unavailable'],
    ['refuses the key', status(401), 30_000, 'audio_service_unavailable'],
    ['does not answer in time', hold(), 50, 'audio_service_timeout'],
  ])('a service that %s is down, without its message', async (_what, response, timeout, code) => {
    deadline = timeout
    const { service, check } = await start()
    service.next('*', response)
    expect(await check()).toEqual([503, { status: 'down', code }])
  })
})
