import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AudioClient, type AudioClientOptions, encodeWav } from '@svc-audio/core'
import { onTestFinished } from 'vitest'

/** The key of every client here. No message, artifact or error may ever hold it. */
export const KEY = 'secret-key-0123456789'

/** A request as it arrived. */
export interface Received {
  readonly url: string
  readonly contentType: string
  readonly body: Buffer
}

/** A scripted service on loopback that ends with its test, and a client of it. */
export interface Upstream {
  readonly client: AudioClient
  readonly received: Received[]
  /** Resolves when a client has closed a connection before the answer was complete. */
  readonly abandoned: Promise<void>
}

/** @param options Further options of the client. */
export async function startUpstream(
  answer: (response: ServerResponse, request: Received) => void,
  options: AudioClientOptions = {},
): Promise<Upstream> {
  const received: Received[] = []
  let abandon = (): void => {}
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve
  })
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) abandon()
    })
    // A client that leaves in the middle of its upload is part of these tests.
    read(request)
      .then((one) => {
        received.push(one)
        return answer(response, one)
      })
      .catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new AudioClient({ apiKey: KEY, baseUrl: `http://127.0.0.1:${port}`, ...options })
  onTestFinished(async () => {
    await client.close()
    server.closeAllConnections()
    server.close()
  })
  return { client, received, abandoned }
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return {
    url: request.url ?? '',
    contentType: request.headers['content-type'] ?? '',
    body: Buffer.concat(chunks),
  }
}

export function answerJson(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** An answer in the form of the service's errors, whose text no model may see. */
export function answerError(response: ServerResponse, status: number, fields: object = {}, headers: object = {}): void {
  const error = { code: 'some_code', message: `upstream text with ${KEY} at /srv/private`, param: null, ...fields }
  answerJson(response, status, { error }, headers)
}

/** Half a second of audio. */
export const WAV: Uint8Array = encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [
  new Uint8Array(16_000).fill(7),
])

export function answerWav(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': WAV.byteLength }).end(WAV)
}
