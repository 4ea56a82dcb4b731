// Plain JavaScript over the built package: the measurement includes no TypeScript loader.
import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { Controller, Post, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AudioModule, TranscribeUploadInterceptor, Upload } from '@svc-audio/nestjs'

// An app in a separate process. Arguments: the platform and the service's address. It prints its own address.
const [platform, baseUrl] = process.argv.slice(2)

class Routes {
  transcribe(upload) {
    return { bytes: upload.bytes, peakBytes: peakBytes() }
  }
}
const upload = [Post('transcribe'), UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }))]
Reflect.decorate([Controller()], Routes)
Reflect.decorate(
  upload,
  Routes.prototype,
  'transcribe',
  Object.getOwnPropertyDescriptor(Routes.prototype, 'transcribe'),
)
Upload()(Routes.prototype, 'transcribe', 0)

// oxlint-disable-next-line typescript/no-extraneous-class -- a Nest module is a class
class App {}
const root = { module: App, imports: [AudioModule.forRoot({ apiKey: 'key', baseUrl })], controllers: [Routes] }
const app = await NestFactory.create(root, await newAdapter(), { logger: ['error'] })
await app.listen(0, '127.0.0.1')
process.stdout.write(`${await app.getUrl()}\n`)

/** Loads only one platform: the other would add to the memory. */
async function newAdapter() {
  if (platform === 'Express') return new (await import('@nestjs/platform-express')).ExpressAdapter()
  return new (await import('@nestjs/platform-fastify')).FastifyAdapter()
}

/** Largest resident memory so far. `maxRSS` would include memory of the parent process. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}
