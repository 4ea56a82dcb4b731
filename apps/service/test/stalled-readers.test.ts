import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCodec } from '../src/drivers/codec/create-codec.ts'
import type { Services } from '../src/services.ts'
import { createFakeServices, type FakeServices } from './support/fake-services.ts'
import { sendRaw, whenClosed } from './support/connections.ts'
import { serveApp } from './support/fake-app.ts'

let fake: FakeServices
let loud: string
let quiet: string
const closers: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  fake = await createFakeServices()
  ;({ key: loud } = await fake.stores.keys.create('loud'))
  ;({ key: quiet } = await fake.stores.keys.create('quiet'))
  closers.push(() => fake.close())
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** The HTTP side over these services. */
async function serve(services: Services, stallTimeout?: number): Promise<string> {
  const app = await serveApp(services, stallTimeout === undefined ? {} : { stallTimeout })
  closers.push(() => app.close())
  return app.url
}

function speech(key: string, responseFormat: string) {
  const body = { model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'v', response_format: responseFormat }
  return {
    path: '/v1/audio/speech',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** PCM of the fake engine: 16 kHz. */
const secondsOfNoise = (seconds: number): Uint8Array => {
  const pcm = new Int16Array(seconds * 16_000)
  for (let index = 0, state = 1; index < pcm.length; index += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    pcm[index] = state % 8192
  }
  return new Uint8Array(pcm.buffer)
}

describe('clients that do not read', { timeout: 120_000 }, () => {
  test("one for each encoder stop neither their own nor another tenant's speech", async () => {
    const codec = await createCodec({ maxProcesses: 2 })
    closers.push(() => codec.close())
    // 20 minutes of mp3 do not fit the buffers of a connection.
    const long = secondsOfNoise(1200)
    fake.speakWith = async () => long
    const url = await serve({
      ...fake,
      engines: { ...fake.engines, codec, semaphores: { ...fake.engines.semaphores, encoding: codec.encoders } },
    })
    const stalled = [1, 2].map(() => sendRaw(url, speech(loud, 'mp3')))
    closers.push(async () => stalled.map((socket) => socket.destroy()))
    await expect.poll(() => codec.encoders.busy, { timeout: 60_000 }).toBe(2)
    await expect.poll(() => codec.encoders.busy, { timeout: 60_000 }).toBe(0)
    fake.speakWith = async () => secondsOfNoise(1)
    for (const key of [loud, quiet]) {
      for (const format of ['mp3', 'opus']) {
        const { path, ...rest } = speech(key, format)
        const response = await fetch(url + path, { method: 'POST', ...rest, signal: AbortSignal.timeout(30_000) })
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1000)
      }
    }
  })

  test('are cut after the stall timeout, with their work', async () => {
    const large = new Uint8Array(20 * 1024 * 1024)
    fake.speakWith = async () => large
    const url = await serve(fake, 200)
    const socket = sendRaw(url, speech(loud, 'pcm'))
    closers.push(async () => socket.destroy())
    await once(socket, 'connect')
    await sleep(1500)
    let received = 0
    socket.on('data', (chunk: Buffer) => (received += chunk.byteLength))
    socket.resume()
    await whenClosed(socket)
    expect(received).toBeLessThan(large.byteLength)
  })

  test('a client that waits for a slow response is not cut', async () => {
    fake.speakWith = async () => {
      await sleep(1000)
      return new Uint8Array(10)
    }
    const url = await serve(fake, 100)
    const { path, ...rest } = speech(loud, 'pcm')
    const response = await fetch(url + path, { method: 'POST', ...rest })
    expect((await response.arrayBuffer()).byteLength).toBe(10)
  })
})
