import 'reflect-metadata'
import { Controller, Post, RequestMethod, Sse, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AudioModule, TranscribeUploadInterceptor, Transcription, TranscriptionStream } from '@svc-audio/nestjs'
import { from, map } from 'rxjs'

// An app in a separate process, which SIGTERM shuts down. Arguments: the platform, the service's address, and the time for
// requests in flight. It prints its own address.
const [platform, baseUrl, shutdownTimeout] = process.argv.slice(2)

class Routes {
  transcribe(transcription) {
    return transcription
  }

  live(events) {
    return from(events).pipe(map((data) => ({ data })))
  }
}
const decorate = (name, decorators) =>
  Reflect.decorate(decorators, Routes.prototype, name, Object.getOwnPropertyDescriptor(Routes.prototype, name))
Reflect.decorate([Controller()], Routes)
decorate('transcribe', [Post('transcribe'), UseInterceptors(TranscribeUploadInterceptor())])
decorate('live', [
  Sse('live', { method: RequestMethod.POST }),
  UseInterceptors(TranscribeUploadInterceptor({ respond: 'sse' })),
])
Transcription()(Routes.prototype, 'transcribe', 0)
TranscriptionStream()(Routes.prototype, 'live', 0)

// oxlint-disable-next-line typescript/no-extraneous-class -- a Nest module is a class
class App {}
const audio = AudioModule.forRoot({ apiKey: 'key', baseUrl, shutdownTimeout: Number(shutdownTimeout) })
const root = { module: App, imports: [audio], controllers: [Routes] }
const app = await NestFactory.create(root, await newAdapter(), { logger: false })
app.enableShutdownHooks()
await app.listen(0, '127.0.0.1')
process.stdout.write(`${await app.getUrl()}\n`)

async function newAdapter() {
  if (platform === 'Express') return new (await import('@nestjs/platform-express')).ExpressAdapter()
  return new (await import('@nestjs/platform-fastify')).FastifyAdapter()
}
