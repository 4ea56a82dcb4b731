import { randomUUID } from 'node:crypto'
import { Controller, Injectable } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { AudioClient, type Task } from '@svc-audio/core'
import { signWebhook, type WebhookContext } from '@svc-audio/core/webhooks'
import { createTestUpstream, type TestUpstream, wavFile } from '@svc-audio/testing'
import { afterEach, describe, expect, test } from 'vitest'
import {
  AudioModule,
  AudioWebhooks,
  AudioWebhooksModule,
  type AudioWebhooksOptions,
  OnAudioTask,
} from '../src/index.ts'
import { PLATFORMS, startApp, type TestApp } from './support/app.ts'

const SECRET = 'secret-of-the-receiver-5d41402abc4b2a76'
const SIGNING = `whsec_${Buffer.from('secret of the service, long enough').toString('base64')}`

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

@Injectable()
class Handlers {
  readonly handled: string[] = []
  fails = 0

  @OnAudioTask('audio.speech')
  speech({ id, status }: Task, { state }: WebhookContext): void {
    if (this.fails-- > 0) throw new Error('The database is down')
    this.handled.push(`speech ${id} ${status} ${state}`)
  }

  @OnAudioTask()
  async other({ object }: Task): Promise<void> {
    this.handled.push(`other ${object}`)
  }
}

describe.each(PLATFORMS)('on %s', (platform) => {
  async function start(options: Partial<AudioWebhooksOptions> = {}, rawBody = false) {
    upstream = await createTestUpstream({ polls: Infinity, webhookSecret: SIGNING })
    const { url: baseUrl, apiKey } = upstream
    // The port is known after the app listens.
    const url = 'http://127.0.0.1/hooks/audio'
    const imports = [
      AudioModule.forRoot({ apiKey, baseUrl, isGlobal: true, allowPrivateUrls: true }),
      AudioWebhooksModule.forRootAsync({ useFactory: () => ({ url, secret: SECRET, ...options }) }),
    ]
    app = await startApp(platform, { imports, providers: [Handlers] }, () => {}, { rawBody })
    const [client, webhooks, handlers] = [
      app.nest.get(AudioClient),
      app.nest.get(AudioWebhooks),
      app.nest.get(Handlers),
    ]
    const { url: origin } = app
    const create = async (state?: string) => {
      const made = await webhooks.createCallback(state === undefined ? {} : { state })
      const callback = { ...made, url: made.url.replace('http://127.0.0.1', origin) }
      const body = { model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'Hello', webhook_url: callback.url }
      const task = await client.speech.createTask(body)
      callback.bind(task.id)
      return { task, callback }
    }
    return { upstream, client, handlers, create, log: app.log, url: `${origin}/hooks/audio` }
  }

  test.each([
    ['without a signature', {}, false],
    ['with the signature of the service', { signingSecret: SIGNING }, true],
  ])('a callback %s reaches the handler of its task once, and wakes a wait', async (_what, options, rawBody) => {
    const { upstream: service, client, handlers, create } = await start(options, rawBody)
    const { task, callback: made } = await create('order 7')
    const waiting = client.tasks.wait(task.id, { pollInterval: 60_000, notBefore: 60 })
    await service.completeTask(task.id)
    expect((await waiting).status).toBe('SUCCESS')
    expect(service.webhooks).toMatchObject([{ taskId: task.id, status: 200 }])
    expect(handlers.handled).toEqual([`speech ${task.id} SUCCESS order 7`])
    const headers = await signed(JSON.stringify({ id: task.id }))
    const again = await fetch(made.url, { method: 'POST', headers, body: JSON.stringify({ id: task.id }) })
    expect(again.status).toBe(200)
    expect(handlers.handled).toHaveLength(1)
  })

  test('a forged callback is 401 and reaches no handler', async () => {
    const { url, create, handlers } = await start({ signingSecret: SIGNING }, true)
    const { callback } = await create()
    const body = JSON.stringify({ id: 'other' })
    const forged = `${url}?token=v1.${'a'.repeat(22)}.9999999999..${'b'.repeat(43)}`
    const json = { 'content-type': 'application/json' }
    expect((await fetch(forged, { method: 'POST', headers: json, body })).status).toBe(401)
    expect((await fetch(callback.url, { method: 'POST', headers: json, body })).status).toBe(401)
    expect(handlers.handled).toEqual([])
  })

  test('a handler that fails is called again', async () => {
    const { upstream: service, create, handlers, log } = await start()
    handlers.fails = 1
    const { task, callback } = await create('again')
    await service.completeTask(task.id)
    expect(service.webhooks).toMatchObject([{ status: 500 }])
    expect(log.join()).toContain('The database is down')
    const retried = await fetch(callback.url, { method: 'POST', body: JSON.stringify({ id: task.id }) })
    expect([retried.status, handlers.handled]).toEqual([200, [`speech ${task.id} SUCCESS again`]])
  })

  test('without rawBody a signed callback fails, and the log names the option', async () => {
    const { upstream: service, create, log, handlers } = await start({ signingSecret: SIGNING })
    const { task } = await create()
    await service.completeTask(task.id)
    expect(service.webhooks).toMatchObject([{ status: 500 }])
    expect(log.join()).toContain('rawBody: true')
    expect(handlers.handled).toEqual([])
  })
})

async function signed(body: string): Promise<Record<string, string>> {
  const headers = await signWebhook({
    secret: SIGNING,
    body,
    id: randomUUID(),
    timestamp: Math.floor(Date.now() / 1000),
  })
  return { 'content-type': 'application/json', ...headers }
}

test('a task of another kind goes to the handler of all tasks', async () => {
  await using service = await createTestUpstream()
  const { apiKey, url: baseUrl } = service
  const imports = [
    AudioModule.forRoot({ apiKey, baseUrl, isGlobal: true }),
    AudioWebhooksModule.forRoot({ url: 'https://my.app/hooks/audio', secret: SECRET }),
  ]
  const made = await (await Test.createTestingModule({ imports, providers: [Handlers] }).compile()).init()
  const webhooks = made.get(AudioWebhooks)
  const callback = await webhooks.createCallback()
  const task = await made
    .get(AudioClient)
    .transcriptions.createTask({ model: 'svc-transcribe-1.0', file: wavFile(100) })
  await service.completeTask(task.id)
  callback.bind(task.id)
  const response = await webhooks.handle(new Request(callback.url, { method: 'POST', body: '{}' }))
  expect([response.status, made.get(Handlers).handled]).toEqual([200, ['other audio.transcription']])
  await made.close()
})

test('a handler may be a method of a controller', async () => {
  const handled: string[] = []
  @Controller()
  class Orders {
    @OnAudioTask('audio.transcription')
    transcribed({ id }: Task): void {
      handled.push(id)
    }
  }
  await using service = await createTestUpstream()
  const { apiKey, url: baseUrl } = service
  const imports = [
    AudioModule.forRoot({ apiKey, baseUrl, isGlobal: true }),
    AudioWebhooksModule.forRoot({ url: 'https://my.app/hooks/audio', secret: SECRET }),
  ]
  const made = await (await Test.createTestingModule({ imports, controllers: [Orders] }).compile()).init()
  const webhooks = made.get(AudioWebhooks)
  const callback = await webhooks.createCallback()
  const body = { model: 'svc-transcribe-1.0', file: wavFile(100) } as const
  const task = await made.get(AudioClient).transcriptions.createTask(body)
  await service.completeTask(task.id)
  callback.bind(task.id)
  const response = await webhooks.handle(new Request(callback.url, { method: 'POST', body: '{}' }))
  expect([response.status, handled]).toEqual([200, [task.id]])
  await made.close()
})

test('two handlers of one kind, or a module without a client, stop the start of the app', async () => {
  @Injectable()
  class Twice {
    @OnAudioTask('audio.speech')
    one(): void {}
    @OnAudioTask('audio.speech')
    two(): void {}
  }
  const webhooks = AudioWebhooksModule.forRoot({ url: 'https://my.app/hooks/audio', secret: SECRET })
  const audio = AudioModule.forRoot({ apiKey: 'key', baseUrl: 'http://service.test', isGlobal: true })
  const compile = Test.createTestingModule({ imports: [audio, webhooks], providers: [Twice] }).compile()
  await expect((await compile).init()).rejects.toThrow("@OnAudioTask('audio.speech') is on two methods")
  await expect(Test.createTestingModule({ imports: [webhooks] }).compile()).rejects.toThrow(
    'AudioWebhooksModule cannot find the AudioClient. Was AudioModule imported? Set isGlobal on AudioModule.forRoot()',
  )
})

test('an unknown option of AudioWebhooksModule is refused by name', async () => {
  const wrong = AudioWebhooksModule.forRoot({
    url: 'https://my.app/hooks/audio',
    secret: SECRET,
    signingSecrets: 'x',
  } as never)
  const audio = AudioModule.forRoot({ apiKey: 'key', baseUrl: 'http://service.test', isGlobal: true })
  await expect(Test.createTestingModule({ imports: [audio, wrong] }).compile()).rejects.toThrow(
    'AudioWebhooksModule(): Unknown option `signingSecrets`; did you mean `signingSecret`?',
  )
})

test('a handler of an unknown kind is a warning that names it and the known kinds', async () => {
  @Injectable()
  class Misspelt {
    @OnAudioTask('audio.transcript')
    done(): void {}
  }
  const webhooks = AudioWebhooksModule.forRoot({ url: 'https://my.app/hooks/audio', secret: SECRET })
  const audio = AudioModule.forRoot({ apiKey: 'key', baseUrl: 'http://service.test', isGlobal: true })
  app = await startApp('Express', { imports: [audio, webhooks], providers: [Misspelt, Handlers] })
  expect(app.log.join('\n')).toMatch(
    /^@OnAudioTask\('audio\.transcript'\) on Misspelt\.done may never be called\. The known kinds are audio\.speech, audio\.transcription, audio\.voice_generation \S*$/,
  )
})
