import { type AddressInfo, connect } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sendAudio } from './send-audio.ts'

/** Audio that a test feeds by hand. Records its reads and its cancellation. */
class Audio implements AsyncIterable<Uint8Array> {
  readonly first = Promise.withResolvers<IteratorResult<Uint8Array>>()
  readonly #rest: Uint8Array[]
  reads = 0
  returns = 0

  constructor(...rest: readonly string[]) {
    this.#rest = rest.map((text) => Buffer.from(text))
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        this.reads += 1
        if (this.reads === 1) return this.first.promise
        const value = this.#rest.shift()
        return value === undefined ? { done: true, value } : { done: false, value }
      },
      return: async () => {
        this.returns += 1
        return { done: true, value: undefined }
      },
    }
  }
}

let app: FastifyInstance
let audio: Audio
/** Resolves when the service has noticed the disconnect. */
let gone: PromiseWithResolvers<void>
beforeEach(async () => {
  app = fastify()
  gone = Promise.withResolvers()
  app.get('/', (_request, reply) => {
    reply.raw.once('close', () => gone.resolve())
    return sendAudio(reply, audio, 'audio/wav')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => app.close())

const chunk = (text: string): IteratorResult<Uint8Array> => ({ done: false, value: Buffer.from(text) })

describe('audio', () => {
  test('is sent as soon as it is made, once', async () => {
    audio = new Audio('b', 'c')
    audio.first.resolve(chunk('a'))
    const response = await app.inject('/')
    expect([response.body, response.headers['content-type']]).toEqual(['abc', 'audio/wav'])
    expect(audio.reads).toBe(4)
  })

  test('without bytes gives an empty response', async () => {
    audio = new Audio()
    audio.first.resolve({ done: true, value: undefined })
    const response = await app.inject('/')
    expect([response.statusCode, response.body]).toEqual([200, ''])
  })

  test('that fails before its first bytes gives an error', async () => {
    audio = new Audio()
    audio.first.reject(new Error('broken'))
    expect((await app.inject('/')).statusCode).toBe(500)
  })
})

test('a disconnect before the first read leaves nothing open', async () => {
  audio = new Audio('b')
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await vi.waitFor(() => expect(audio.reads).toBe(1))
  socket.resetAndDestroy()
  await gone.promise
  audio.first.resolve(chunk('a'))
  await vi.waitFor(() => expect(audio.returns).toBe(1))
  expect(audio.reads).toBe(1)
})

test('a disconnect in the middle leaves nothing open', async () => {
  audio = new Audio(...Array.from({ length: 1000 }, () => 'b'.repeat(100_000)))
  audio.first.resolve(chunk('a'))
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1').pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await vi.waitFor(() => expect(audio.reads).toBeGreaterThan(1))
  socket.resetAndDestroy()
  await vi.waitFor(() => expect(audio.returns).toBe(1))
})
