import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MultipartMeter } from './multipart-meter.ts'
import type { UploadReport } from './upload-report.ts'

/** Process entry: a service that accepts any transcription upload, discards it and reports it to the parent. */
const server = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    process.send?.(await receive(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"ok"}')
  } catch (error) {
    response.writeHead(400).end(String(error))
  }
}

async function receive(request: IncomingMessage): Promise<UploadReport> {
  if (request.method !== 'POST' || request.url !== '/v1/audio/transcriptions') throw new Error('No such endpoint')
  const meter = new MultipartMeter(request.headers['content-type'])
  let firstByteAt = 0
  request.once('data', () => {
    firstByteAt = performance.timeOrigin + performance.now()
  })
  request.on('data', (chunk: Buffer) => meter.add(chunk))
  await new Promise((resolve, reject) => request.once('end', resolve).once('error', reject))
  const length = request.headers['content-length']
  return {
    contentLength: length === undefined ? null : Number(length),
    firstByteAt,
    bodyBytes: meter.bodyBytes,
    fileBytes: meter.fileBytes(),
  }
}

server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has this kind of address.
  const { port } = server.address() as AddressInfo
  process.send?.(port)
})
// Without the parent, no uploads will arrive.
process.once('disconnect', () => process.exit())
