import 'reflect-metadata'
import { type CanActivate, Controller, HttpException, Module, Post, UseGuards, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { describeRefusals, type RefusingApp, SMALL_BYTES } from '@svc-audio/kit/hosts/refusal-suite'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, beforeAll } from 'vitest'
import { AudioExceptionFilter, AudioModule, TranscribeUploadInterceptor } from '../src/index.ts'
import { KEY, type Platform, PLATFORMS, startApp } from '../test/support/app.ts'

class Guard implements CanActivate {
  canActivate(): never {
    throw new HttpException({}, 401)
  }
}

@Controller()
class Routes {
  @Post('guarded')
  @UseGuards(new Guard())
  @UseInterceptors(TranscribeUploadInterceptor())
  guarded(): void {}

  @Post()
  @UseInterceptors(TranscribeUploadInterceptor())
  transcribe(): void {}

  @Post('video')
  @UseInterceptors(TranscribeUploadInterceptor({ accept: ['video/*'] }))
  video(): void {}

  @Post('small')
  @UseInterceptors(TranscribeUploadInterceptor({ maxFileSize: SMALL_BYTES }))
  small(): void {}

  @Post('quota')
  @UseInterceptors(
    TranscribeUploadInterceptor({
      maxFileSize: () => {
        throw new HttpException({}, 402)
      },
    }),
  )
  quota(): void {}
}

let upstream: TestUpstream
beforeAll(async () => {
  upstream = await createTestUpstream({ apiKey: KEY })
})
afterAll(() => upstream.close())

const modules = () => ({
  imports: [AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url })],
  controllers: [Routes],
})

@Module({})
class Http2Root {}

async function startHttp2(https: object): Promise<RefusingApp> {
  const adapter = new FastifyAdapter({ http2: true, https })
  const nest = await NestFactory.create({ module: Http2Root, ...modules() }, adapter, { logger: false })
  nest.useGlobalFilters(new AudioExceptionFilter())
  await nest.listen(0, '127.0.0.1')
  return { url: (await nest.getUrl()).replace('http:', 'https:'), close: () => nest.close() }
}

/** Only Nest's adapter for Fastify speaks HTTP/2. */
const HTTP2: Readonly<Record<Platform, object>> = { Express: {}, Fastify: { startHttp2 } }

for (const platform of PLATFORMS) {
  describeRefusals({
    framework: `Nest on ${platform}`,
    start: () => startApp(platform, modules()),
    ...HTTP2[platform],
  })
}
