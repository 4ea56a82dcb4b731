import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The begin of a stream of speech: the format, and a tenth of a second of silence. */
const BEGIN = [
  { type: 'speech.created', format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 },
  { type: 'speech.audio.delta', audio: Buffer.alloc(4800).toString('base64') },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join('')

/** Process entry: begins every stream and holds it open. Sends its port to the parent. */
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(BEGIN)
})
server.listen(0, '127.0.0.1', 4096, () => process.send?.((server.address() as AddressInfo).port))
