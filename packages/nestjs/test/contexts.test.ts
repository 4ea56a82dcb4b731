import { once } from 'node:events'
import { Controller, Module, Post, UseFilters, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ClientProxyFactory, MessagePattern, type MicroserviceOptions, Transport } from '@nestjs/microservices'
import { WsAdapter } from '@nestjs/platform-ws'
import { Test } from '@nestjs/testing'
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets'
import { ApiError, AudioClient, ConfigurationError } from '@svc-audio/core'
import { lastValueFrom } from 'rxjs'
import { afterEach, describe, expect, test } from 'vitest'
import {
  AudioExceptionFilter,
  AudioModule,
  DisconnectSignal,
  ForwardUploadInterceptor,
  TranscribeUploadInterceptor,
  Transcription,
} from '../src/index.ts'

const audio = AudioModule.forRoot({ apiKey: 'key', baseUrl: 'http://service.test', isGlobal: true })

class Silent extends AudioExceptionFilter {
  protected override report(): void {}
}

const reported: unknown[] = []

class Reporting extends AudioExceptionFilter {
  protected override report(error: unknown): void {
    reported.push(error)
  }
}

@Controller()
class Uploads {
  @Post('transcribe')
  @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }))
  transcribe(): void {}

  @MessagePattern('fails')
  @UseFilters(Silent)
  fails(): never {
    throw new ApiError('sekret', { status: 429, retryAfter: 7 })
  }

  @MessagePattern('signal')
  @UseFilters(Reporting)
  signal(@DisconnectSignal() _signal: AbortSignal): void {}

  @MessagePattern('text')
  @UseFilters(Reporting)
  text(@Transcription() _transcription: Transcription): void {}

  @MessagePattern('upload')
  @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }))
  @UseFilters(Silent)
  upload(): void {}
}

@Module({ imports: [audio], controllers: [Uploads] })
class AppModule {}

const QUIET = { logger: false, abortOnError: false } as const

describe('an app with TranscribeUploadInterceptor starts', () => {
  test('as an application context', async () => {
    const app = await NestFactory.createApplicationContext(AppModule, QUIET)
    expect(app.get(AudioClient)).toBeInstanceOf(AudioClient)
    await app.close()
  })

  test('as a microservice', async () => {
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(AppModule, { ...QUIET, options: { port: 0 } })
    await app.init()
    expect(app.get(Uploads)).toBeInstanceOf(Uploads)
    await app.close()
  })

  test('as a testing module', async () => {
    const app = await (await Test.createTestingModule({ imports: [AppModule] }).compile()).init()
    expect(app.get(Uploads)).toBeInstanceOf(Uploads)
    await app.close()
  })
})

describe('AudioExceptionFilter', () => {
  let close: () => unknown = () => {}
  afterEach(() => close())

  async function microservice() {
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(AppModule, {
      ...QUIET,
      transport: Transport.TCP,
      options: { host: '127.0.0.1', port: 0 },
    })
    await app.listen()
    const { port } = app.unwrap<{ address(): { port: number } }>().address()
    const caller = ClientProxyFactory.create({ transport: Transport.TCP, options: { host: '127.0.0.1', port } })
    close = async () => {
      await caller.close()
      await app.close()
    }
    return caller
  }

  test('answers a caller of a microservice with the error', async () => {
    const caller = await microservice()
    await expect(lastValueFrom(caller.send('fails', {}))).rejects.toEqual({
      status: 'error',
      statusCode: 429,
      errorCode: 'rate_limited',
      message: 'Too many requests at the moment',
    })
  })

  test('answers a microservice call of a handler with an HTTP interceptor with internal_error', async () => {
    const caller = await microservice()
    await expect(lastValueFrom(caller.send('upload', {}))).rejects.toMatchObject({
      status: 'error',
      statusCode: 500,
      errorCode: 'internal_error',
    })
  })

  test.each([
    ['signal', '@DisconnectSignal()'],
    ['text', '@Transcription()'],
  ])(
    'answers a microservice call of the handler %s with internal_error, and logs that %s needs HTTP',
    async (...row) => {
      const [pattern, name] = row
      const caller = await microservice()
      await expect(lastValueFrom(caller.send(pattern, {}))).rejects.toMatchObject({ errorCode: 'internal_error' })
      const message = `${name} needs an HTTP route, got a handler of type rpc`
      expect(reported.splice(0)).toMatchObject([{ cause: new ConfigurationError(message) }])
    },
  )

  test('sends an exception event to a client of a WebSocket gateway', async () => {
    @WebSocketGateway()
    class Gateway {
      @SubscribeMessage('fails')
      @UseFilters(Silent)
      fails(): never {
        throw new ApiError('sekret', { status: 503 })
      }
    }
    @Module({ providers: [Gateway] })
    class Sockets {}
    const app = await NestFactory.create(Sockets, QUIET)
    app.useWebSocketAdapter(new WsAdapter(app))
    await app.listen(0, '127.0.0.1')
    close = () => app.close()
    const socket = new WebSocket((await app.getUrl()).replace('http', 'ws'))
    await once(socket, 'open')
    socket.send(JSON.stringify({ event: 'fails', data: {} }))
    const [message] = (await once(socket, 'message')) as [{ readonly data: string }]
    socket.close()
    expect(JSON.parse(message.data)).toEqual({
      event: 'exception',
      data: {
        status: 'error',
        statusCode: 502,
        errorCode: 'audio_service_unavailable',
        message: 'The audio service cannot be used at the moment',
        cause: { pattern: 'fails', data: {} },
      },
    })
  })
})

test.each([
  ['TranscribeUploadInterceptor', TranscribeUploadInterceptor],
  ['ForwardUploadInterceptor', ForwardUploadInterceptor],
])('%s in the place of an interceptor says that it must be called', (name, factory) => {
  expect(() => Reflect.construct(factory, [])).toThrow(`${name} makes an interceptor: call it with its options`)
})
