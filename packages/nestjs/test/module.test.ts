import { ConsoleLogger, Controller, Get, Inject, Injectable, Module } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { AudioClient, ConfigurationError, type Transport, type TransportRequest } from '@svc-audio/core'
import { createTestUpstream, wavFile } from '@svc-audio/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  AudioModule,
  type AudioModuleOptions,
  type AudioModuleOptionsFactory,
  getAudioClientToken,
  InjectAudioClient,
} from '../src/index.ts'
import { startApp } from './support/app.ts'

afterEach(() => vi.unstubAllEnvs())

/** Options that record calls instead of sending them. */
function recording(apiKey: string): { options: AudioModuleOptions; sent: TransportRequest[]; closed: string[] } {
  const sent: TransportRequest[] = []
  const closed: string[] = []
  const transport: Transport = {
    async send(request) {
      sent.push(request)
      const body = { async *[Symbol.asyncIterator]() {}, cancel() {}, release() {} }
      return { status: 204, headers: {}, body }
    },
    async close() {
      closed.push(apiKey)
    },
  }
  return { options: { apiKey, baseUrl: 'http://service.test', transport }, sent, closed }
}

/** Returns the key that a client calls with. */
async function keyOf(client: AudioClient, sent: TransportRequest[]): Promise<string | undefined> {
  await client.models.list().catch(() => {})
  return sent.at(-1)?.headers['authorization']
}

@Injectable()
class Settings implements AudioModuleOptionsFactory {
  readonly options: AudioModuleOptions

  constructor(@Inject('options') options: AudioModuleOptions) {
    this.options = options
  }

  async createAudioOptions(): Promise<AudioModuleOptions> {
    return this.options
  }
}

describe('the client comes from', () => {
  const { options, sent } = recording('the-key')
  const settings = { provide: 'options', useValue: options }

  @Module({ providers: [settings, Settings], exports: ['options', Settings] })
  class SettingsModule {}

  test.each([
    ['forRoot', () => AudioModule.forRoot(options)],
    [
      'useFactory with what it injects from imports',
      () =>
        AudioModule.forRootAsync({
          imports: [SettingsModule],
          inject: ['options'],
          useFactory: (given: AudioModuleOptions) => given,
        }),
    ],
    ['a useFactory that promises', () => AudioModule.forRootAsync({ useFactory: async () => options })],
    [
      'useClass, whose needs are in imports',
      () => AudioModule.forRootAsync({ imports: [SettingsModule], useClass: Settings }),
    ],
    ['useExisting', () => AudioModule.forRootAsync({ imports: [SettingsModule], useExisting: Settings })],
    [
      'useFactory with extraProviders',
      () => AudioModule.forRootAsync({ extraProviders: [settings], inject: ['options'], useFactory: (given) => given }),
    ],
    [
      'useClass with extraProviders',
      () => AudioModule.forRootAsync({ extraProviders: [settings], useClass: Settings }),
    ],
  ])('%s', async (_what, audio) => {
    const app = await Test.createTestingModule({ imports: [audio()] }).compile()
    const client = app.get(AudioClient)
    expect(client).toBeInstanceOf(AudioClient)
    expect(await keyOf(client, sent)).toBe('Bearer the-key')
    await app.close()
  })

  test('the environment, without options', async () => {
    vi.stubEnv('SVC_AUDIO_API_KEY', 'from-environment')
    vi.stubEnv('SVC_AUDIO_BASE_URL', 'http://service.test')
    const app = await Test.createTestingModule({ imports: [AudioModule.forRoot()] }).compile()
    expect(app.get(AudioClient)).toBeInstanceOf(AudioClient)
    await app.close()
  })
})

test("the app's tracer gets a span for each call, and Nest's logger its lines without the key", async () => {
  await using upstream = await createTestUpstream({ apiKey: 'sk-sekret' })
  const spans: string[] = []
  const lines: string[] = []
  const span = {
    setAttribute: () => {},
    setStatus: () => {},
    spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
    end: () => void spans.push('end'),
  }
  const logger = new ConsoleLogger('audio')
  vi.spyOn(logger, 'debug').mockImplementation((...words: unknown[]) => void lines.push(JSON.stringify(words)))
  const tracer = { startSpan: (name: string) => (spans.push(name), span) }
  const options = { apiKey: 'sk-sekret', baseUrl: upstream.url, tracer, logger }
  const app = await Test.createTestingModule({ imports: [AudioModule.forRoot(options)] }).compile()
  await app.get(AudioClient).models.list()
  await app.close()
  expect(spans).toEqual([expect.stringContaining('models'), 'end'])
  expect(lines.join()).toContain('models.list')
  expect(lines.join()).not.toContain('sk-sekret')
  expect(upstream.requests[0]?.headers['traceparent']).toContain('a'.repeat(32))
})

test('wrong options stop the start of the app with an error that names them without the key', async () => {
  const apiKey = 'sk-sekret key'
  const failure = await Test.createTestingModule({
    imports: [AudioModule.forRoot({ apiKey, baseUrl: 'http://service.test' })],
  })
    .compile()
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ConfigurationError)
  expect(String(failure)).toContain('apiKey')
  expect(String(failure)).not.toContain('sekret')
})

test('forRootAsync without a factory, or with one that returns nothing, is a ConfigurationError', async () => {
  expect(() => AudioModule.forRootAsync({})).toThrow('needs `useFactory`, `useClass` or `useExisting`')
  const nothing = AudioModule.forRootAsync({ useFactory: () => undefined as never })
  const building = Test.createTestingModule({ imports: [nothing] }).compile()
  await expect(building).rejects.toThrow('must return an object of options, got undefined')
})

describe('the client is visible to', () => {
  @Injectable()
  class Consumer {
    readonly byType: AudioClient
    readonly byToken: AudioClient

    constructor(byType: AudioClient, @InjectAudioClient() byToken: AudioClient) {
      this.byType = byType
      this.byToken = byToken
    }
  }

  @Module({ providers: [Consumer] })
  class Feature {}

  const { options } = recording('key')

  test('every module with isGlobal, by its type and by its token', async () => {
    const imports = [AudioModule.forRoot({ ...options, isGlobal: true }), Feature]
    const app = await Test.createTestingModule({ imports }).compile()
    const consumer = app.get(Consumer, { strict: false })
    expect(consumer.byType).toBe(app.get(AudioClient))
    expect(consumer.byToken).toBe(app.get(AudioClient))
    await app.close()
  })

  test('every module with isGlobal of an async module', async () => {
    const imports = [AudioModule.forRootAsync({ useFactory: () => options, isGlobal: true }), Feature]
    const app = await Test.createTestingModule({ imports }).compile()
    expect(app.get(Consumer, { strict: false }).byToken).toBe(app.get(AudioClient))
    await app.close()
  })

  test('importing modules only, without isGlobal', async () => {
    const building = Test.createTestingModule({ imports: [AudioModule.forRoot(options), Feature] }).compile()
    await expect(building).rejects.toThrow('AudioClient')
  })
})

describe('named clients', () => {
  @Injectable()
  class Consumer {
    readonly clients: readonly AudioClient[]

    constructor(
      @InjectAudioClient() plain: AudioClient,
      @InjectAudioClient('cheap') cheap: AudioClient,
      @InjectAudioClient('good') good: AudioClient,
    ) {
      this.clients = [plain, cheap, good]
    }
  }

  test('coexist with the client without a name, have their own options, and are closed', async () => {
    const plain = recording('key-plain')
    const cheap = recording('key-cheap')
    const good = recording('key-good')
    const imports = [
      AudioModule.forRoot(plain.options),
      AudioModule.forRoot({ ...cheap.options, name: 'cheap' }),
      AudioModule.forRootAsync({ name: 'good', useFactory: () => good.options }),
    ]
    const app = await Test.createTestingModule({ imports, providers: [Consumer] }).compile()
    const { clients } = app.get(Consumer)
    const keys = await Promise.all(
      [plain, cheap, good].map(({ sent }, index) => keyOf(clients[index] as AudioClient, sent)),
    )
    expect(keys).toEqual(['Bearer key-plain', 'Bearer key-cheap', 'Bearer key-good'])
    expect(app.get(getAudioClientToken('cheap'))).toBe(clients[1])
    await app.close()
    expect([plain.closed, cheap.closed, good.closed]).toEqual([['key-plain'], ['key-cheap'], ['key-good']])
  })

  test('an empty name is refused', () => {
    expect(() => getAudioClientToken('')).toThrow(ConfigurationError)
    expect(() => AudioModule.forRoot({ name: '' })).toThrow('`name` must not be empty')
  })
})

test('a test can override the client without options, and the override is not closed', async () => {
  const { options, closed } = recording('key-of-the-test')
  const mine = new AudioClient(options)
  const app = await Test.createTestingModule({ imports: [AudioModule.forRoot()] })
    .overrideProvider(getAudioClientToken())
    .useValue(mine)
    .compile()
  expect(app.get(AudioClient)).toBe(mine)
  await app.close()
  expect(closed).toEqual([])
})

describe('when the app shuts down', () => {
  test('the connections to the service are closed', async () => {
    await using upstream = await createTestUpstream()
    const imports = [AudioModule.forRoot({ apiKey: upstream.apiKey, baseUrl: upstream.url })]
    const app = await Test.createTestingModule({ imports }).compile()
    await app.get(AudioClient).models.list()
    expect(upstream.connections).toBe(1)
    await app.close()
    await upstream.idle()
    expect(upstream.connections).toBe(0)
  })

  test('a wait for a task ends before the server waits for its requests', async () => {
    await using upstream = await createTestUpstream({ polls: Infinity, retryAfter: undefined })
    @Controller()
    class Waiting {
      constructor(private readonly audio: AudioClient) {}
      @Get()
      async wait(): Promise<void> {
        const task = await this.audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file: wavFile(100) })
        await task.wait()
      }
    }
    const imports = [AudioModule.forRoot({ apiKey: upstream.apiKey, baseUrl: upstream.url })]
    const app = await startApp('Express', { imports, controllers: [Waiting] })
    const response = fetch(app.url)
    await upstream.waitForRequest()
    // The read of the task: the wait is in flight.
    await upstream.waitForRequest()
    const closing = app.nest.close()
    expect((await response).status).toBe(502)
    await closing
    await upstream.idle()
  })

  test('the client is closed after the server has stopped, not before', async () => {
    const { options, closed } = recording('key')
    const app = await startApp('Express', { imports: [AudioModule.forRoot(options)] })
    const atStop: number[] = []
    const server = app.nest.getHttpServer() as { once(event: 'close', listener: () => void): void }
    server.once('close', () => atStop.push(closed.length))
    await app.close()
    expect(atStop).toEqual([0])
    expect(closed).toEqual(['key'])
  })
})
