// The reference: Nest with busboy piped into undici, without limits, checks or error handling.
import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { Controller, Post, Req } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import busboy from 'busboy'
import { request } from 'undici'

const [, baseUrl] = process.argv.slice(2)

class Routes {
  async transcribe(incoming) {
    let bytes = 0
    const parser = busboy({ headers: incoming.headers })
    const file = new Promise((resolve) => parser.once('file', (_name, stream) => resolve(stream)))
    incoming.pipe(parser)
    const stream = await file
    async function* form() {
      yield '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nsvc-transcribe-1.0\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n'
      for await (const chunk of stream) {
        bytes += chunk.length
        yield chunk
      }
      yield '\r\n--b--\r\n'
    }
    const headers = { authorization: 'Bearer key', 'content-type': 'multipart/form-data; boundary=b' }
    const answer = await request(`${baseUrl}/v1/audio/transcriptions`, { method: 'POST', headers, body: form() })
    await answer.body.json()
    return { bytes, peakBytes: Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024 }
  }
}
const { prototype } = Routes
Reflect.decorate([Controller()], Routes)
Reflect.decorate(
  [Post('transcribe')],
  prototype,
  'transcribe',
  Object.getOwnPropertyDescriptor(prototype, 'transcribe'),
)
Req()(prototype, 'transcribe', 0)

// oxlint-disable-next-line typescript/no-extraneous-class -- a Nest module is a class
class App {}
const app = await NestFactory.create({ module: App, controllers: [Routes] }, new ExpressAdapter(), {
  logger: ['error'],
  bodyParser: false,
})
await app.listen(0, '127.0.0.1')
process.stdout.write(`ADDRESS ${await app.getUrl()}\n`)
