import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { ServiceChild } from './service-child.ts'

/** A long text. A fake engine makes much longer speech of it. */
const LONG_TEXT = `endless ${'The morning train leaves at seven. '.repeat(25)}`

/** A bare connection to the service. */
export async function open({ url }: ServiceChild): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // The test cuts connections on purpose.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** A whole request for a long stream. */
export function streamRequest({ key }: ServiceChild): string {
  const body = JSON.stringify({
    model: 'svc-tts-1.5-flash',
    input: LONG_TEXT,
    stream: true,
    response_format: 'pcm',
    stream_format: 'sse',
  })
  return `POST /v1/audio/speech HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** The start of an upload with a large announced length. */
export function uploadBeginning({ key }: ServiceChild): string {
  const head = `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 100000000\r\n\r\n`
  const model = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nsvc-transcribe-1.0\r\n'
  return `${head}${model}--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF${'x'.repeat(50_000)}`
}
