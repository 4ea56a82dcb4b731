import { describe, expect, test } from 'vitest'
import { ProtocolError } from '../src/index.ts'
import { collect, connect, rejection } from './support/clients.ts'
import { closedByClient, readBody, startServer } from './support/servers.ts'
import { pcm, PCM_HEADERS, STREAM } from './support/speech.ts'

const RAW = { ...STREAM, stream_format: 'audio' } as const
const AUDIO = pcm(40_000)

describe('interface: raw PCM with X- headers', () => {
  // rules: stream.pcm-answer, stream.pcm-format, stream.stream-format, stream.pcm-end, stream.voice-optional
  test('the headers give the format, and a clean end is not called complete', async () => {
    let body = ''
    const server = await startServer(async (request, response) => {
      body = String(await readBody(request))
      response.writeHead(200, { ...PCM_HEADERS, 'x-request-id': 'req-2' })
      for (let at = 0; at < AUDIO.length; at += 7001) response.write(AUDIO.subarray(at, at + 7001))
      response.end()
    })
    const stream = await connect(server.url).speech.stream(RAW)
    expect(stream).toMatchObject({ taskId: undefined, requestId: 'req-2', complete: false })
    expect(stream.format).toEqual({ sampleRate: 16_000, channels: 2, bitDepth: 16 })
    const chunks: Uint8Array[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(AUDIO))
    expect(chunks.every((chunk) => chunk.length % 4 === 0)).toBe(true)
    expect(stream.complete).toBe(false)
    expect(JSON.parse(body)).toMatchObject({ stream: true, response_format: 'pcm', stream_format: 'audio' })
  })

  // rules: stream.pcm-format
  test.each([
    ['x-sample-rate', undefined],
    ['x-channels', undefined],
    ['x-bit-depth', undefined],
    ['x-sample-rate', ''],
    ['x-sample-rate', '24k'],
    ['x-sample-rate', '-16000'],
    ['x-sample-rate', '16000.5'],
    ['x-sample-rate', '0'],
    ['x-sample-rate', '99999999999'],
    ['x-channels', '0'],
    ['x-channels', '2, 2'],
    ['x-bit-depth', '12'],
    ['x-bit-depth', '0x10'],
  ])('%s of %j is refused, and the connection given up', async (name, value) => {
    let left: Promise<'left'> | undefined
    const server = await startServer((_, response) => {
      const headers: Record<string, string | undefined> = { ...PCM_HEADERS, 'x-request-id': 'req-2', [name]: value }
      for (const [key, given] of Object.entries(headers)) if (given !== undefined) response.setHeader(key, given)
      response.write(AUDIO)
      left = closedByClient(response)
    })
    const error = await rejection(connect(server.url).speech.stream(RAW))
    expect(error).toBeInstanceOf(ProtocolError)
    expect(error).toMatchObject({ requestId: 'req-2' })
    expect((error as Error).message).toMatch(/x-|sample_rate|channels|bit_depth/)
    expect(await left).toBe('left')
  })

  test('it has no events, and reading them does not consume the stream', async () => {
    const server = await startServer((_, response) => void response.writeHead(200, PCM_HEADERS).end(AUDIO))
    const stream = await connect(server.url).speech.stream(RAW)
    expect(() => stream.events()).toThrow(TypeError)
    expect(await collect(stream)).toEqual(Buffer.from(AUDIO))
  })
})
