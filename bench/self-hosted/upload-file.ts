import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Agent } from 'undici'
import { BENCH_KEY } from './bench-key.ts'
import type { Server } from './server.ts'

const BOUNDARY = 'boundary-of-the-measurements'

/**
 * Sends a file to `POST /v1/files` of a server.
 * @returns The number of bytes that the server stored.
 */
export async function uploadFile(agent: Agent, { origin }: Pick<Server, 'origin'>, path: string): Promise<number> {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="recording.wav"\r\n\r\n`
  const tail = `\r\n--${BOUNDARY}--\r\n`
  const { size } = await stat(path)
  const { statusCode, body } = await agent.request({
    origin,
    path: '/v1/files',
    method: 'POST',
    headers: {
      authorization: `Bearer ${BENCH_KEY}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': String(head.length + size + tail.length),
    },
    body: Readable.from(form(head, path, tail)),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`An upload was answered ${statusCode}: ${text}`)
  return (JSON.parse(text) as { bytes: number }).bytes
}

async function* form(head: string, path: string, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  yield* createReadStream(path, { highWaterMark: 256 * 1024 })
  yield Buffer.from(tail)
}
