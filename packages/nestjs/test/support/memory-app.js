// Plain JavaScript over the built package, so that what is measured is what gets published, not a TypeScript loader.
import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { Controller, Post, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AudioModule, TranscribeInterceptor, Upload } from '@svc-audio/nestjs'

// An app in a process of its own, so that nothing but the app counts. Arguments: the platform and the service's address;
// the app tells its own on standard output.
const [platform, baseUrl] = process.argv.slice(2)

class Routes {
  transcribe(upload) {
    return { bytes: upload.bytes, peakBytes: peakBytes() }
  }
}
const upload = [Post('transcribe'), UseInterceptors(TranscribeInterceptor({ model: 'svc-transcribe-1.0' }))]
Reflect.decorate([Controller()], Routes)
Reflect.decorate(
  upload,
  Routes.prototype,
  'transcribe',
  Object.getOwnPropertyDescriptor(Routes.prototype, 'transcribe'),
)
Upload()(Routes.prototype, 'transcribe', 0)

// oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest is a class, empty or not
class App {}
const root = { module: App, imports: [AudioModule.forRoot({ apiKey: 'key', baseUrl })], controllers: [Routes] }
const app = await NestFactory.create(root, await newAdapter(), { logger: ['error'] })
await app.listen(0, '127.0.0.1')
process.stdout.write(`${await app.getUrl()}\n`)

/** Only the platform in question is loaded: the other would count too. */
async function newAdapter() {
  if (platform === 'Express') return new (await import('@nestjs/platform-express')).ExpressAdapter()
  return new (await import('@nestjs/platform-fastify')).FastifyAdapter()
}

/** Largest resident memory so far. The system's own counter of the process would include what its parent used. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}
