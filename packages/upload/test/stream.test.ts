import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { ClientDisconnectedError, type IncomingUpload, receiveUpload, type UploadOptions } from '../src/index.ts'
import { FakeRequest } from './support/fake-request.ts'
import { formBody, post, wav, wavPart } from './support/form.ts'
import { type Consume, exchange, RawClient, readAll, type Receiver, startReceiver } from './support/receiver.ts'

const MB = 1024 * 1024

let receiver: Receiver | undefined
afterEach(async () => {
  await receiver?.close()
  receiver = undefined
})

async function start(
  options: Partial<UploadOptions> = {},
  consume?: Consume,
): Promise<{ receiver: Receiver; client: RawClient }> {
  receiver = await startReceiver({ maxFileSize: 600 * MB, ...options }, consume)
  return { receiver, client: new RawClient(receiver.port) }
}

/** A form with a file of `size` bytes, generated on demand. */
function* longForm(size: number): Generator<Buffer> {
  const [head, tail] = [
    formBody([wavPart(Buffer.from('@'))])
      .toString('latin1')
      .split('@'),
  ]
    .flat()
    .map((text) => Buffer.from(text, 'latin1'))
  yield Buffer.concat([head ?? Buffer.alloc(0), wav(20_000)])
  const piece = Buffer.alloc(16 * 1024, 7)
  for (let sent = 20_044; sent < size; sent += piece.byteLength) yield piece
  yield tail ?? Buffer.alloc(0)
}

test('the upload starts and yields bytes before it ends', async () => {
  const file = wav(100_000)
  const body = formBody([wavPart(file)])
  const firstBytes = Promise.withResolvers<number>()
  const { receiver: server, client } = await start({}, async (upload) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of upload.stream) {
      chunks.push(chunk)
      firstBytes.resolve(upload.bytes)
    }
    return Buffer.concat(chunks)
  })
  const request = post(body)
  await client.send(request.subarray(0, 20_000))
  expect(await firstBytes.promise).toBeGreaterThan(4000)
  await client.send(request.subarray(20_000))
  expect((await server.outcome()).content).toEqual(file)
})

test('a short file is checked without waiting for more bytes', async () => {
  const upload = await receiveUpload(new FakeRequest([formBody([wavPart(wav(0))])]), { maxFileSize: MB })
  expect(upload.sniffedType).toBe('audio/wav')
  expect(await readAll(upload.stream)).toEqual(wav(0))
})

test('an unread file pauses the sender', async () => {
  const request = new FakeRequest(longForm(64 * MB))
  const upload = await receiveUpload(request, { maxFileSize: 128 * MB })
  for (let turns = 0; turns < 500; turns += 1) await turn()
  const held = request.pulled
  expect(held).toBeLessThan(512 * 1024)
  let read = 0
  for await (const chunk of upload.stream) {
    read += chunk.byteLength
    if (read > 4 * MB) break
    expect(request.pulled - read).toBeLessThan(512 * 1024)
  }
  expect(request.pulled).toBeGreaterThan(held)
})

test('the stream can be read once', async () => {
  const upload = await receiveUpload(new FakeRequest([formBody([wavPart()])]), { maxFileSize: MB })
  await readAll(upload.stream)
  expect(() => upload.stream[Symbol.asyncIterator]()).toThrow(TypeError)
})

test('the first chunk does not wait for the form, the end does', async () => {
  const file = wav(50)
  const body = formBody([wavPart(file), { name: 'late', content: 'x' }])
  const { client, receiver: server } = await start()
  const request = post(body)
  // All of the file, and the start of the following bytes.
  const cut = request.indexOf('name="late"')
  await client.send(request.subarray(0, cut))
  const outcome = server.outcome()
  const early = await Promise.race([outcome, turn('not yet')])
  expect(early).toBe('not yet')
  await client.send(request.subarray(cut))
  expect((await outcome).content).toEqual(file)
})

describe('disposing of an upload', () => {
  test('ending the iteration early discards the rest, and the response arrives', async () => {
    const { receiver: server, client } = await start({}, async (upload) => {
      const iterator = upload.stream[Symbol.asyncIterator]()
      await iterator.next()
      await iterator.return?.()
      return undefined
    })
    const sending = client.send(post(formBody([wavPart(wav(3 * MB))])))
    expect(await client.answer()).toEqual({ status: 200, body: 'received' })
    await sending
    const { upload } = await server.outcome()
    await expect(upload?.trailingFields).rejects.toMatchObject({ name: 'AbortError' })
    expect(upload?.signal.aborted).toBe(false)
  })

  test('dispose does the same, and a second call does nothing', async () => {
    const { client } = await start({}, async (upload) => {
      upload.dispose()
      upload.dispose()
      expect(() => upload.stream[Symbol.asyncIterator]()).toThrow(TypeError)
      return undefined
    })
    const sending = client.send(post(formBody([wavPart(wav(3 * MB))])))
    expect(await client.answer()).toEqual({ status: 200, body: 'received' })
    await sending
  })

  test('dispose wakes a waiting reader', async () => {
    const body = formBody([wavPart(wav(50_000))])
    const { client } = await start({}, async (upload) => {
      const reading = readAll(upload.stream)
      await turn()
      upload.dispose()
      await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
      return undefined
    })
    await client.send(post(body).subarray(0, 30_000))
    expect((await client.answer()).status).toBe(200)
  })

  test("the caller's signal stops the upload with its reason", async () => {
    const controller = new AbortController()
    const reason = new Error('shutting down')
    const { receiver: server, client } = await start({ signal: controller.signal }, async (upload) => {
      const reading = readAll(upload.stream)
      controller.abort(reason)
      return reading
    })
    await client.send(post(formBody([wavPart(wav(50_000))])).subarray(0, 30_000))
    const { error, upload } = await server.outcome()
    expect(error).toBe(reason)
    expect(upload?.signal.reason).toBe(reason)
  })

  test('an already aborted signal prevents the start', async () => {
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(receiveUpload(new FakeRequest(longForm(MB)), { maxFileSize: MB, signal })).rejects.toThrow('too late')
  })

  test('the signal of a complete upload still follows the caller', async () => {
    const controller = new AbortController()
    const request = new FakeRequest([formBody([wavPart()])])
    const upload = await receiveUpload(request, { maxFileSize: MB, signal: controller.signal })
    await readAll(upload.stream)
    expect(upload.signal.aborted).toBe(false)
    controller.abort()
    expect(upload.signal.aborted).toBe(true)
  })
})

describe('a client that disconnects', () => {
  test('in mid-upload ends the stream with ClientDisconnectedError', async () => {
    const begun = Promise.withResolvers<IncomingUpload>()
    const { receiver: server, client } = await start({}, (upload) => {
      begun.resolve(upload)
      return readAll(upload.stream)
    })
    await client.send(post(formBody([wavPart(wav(MB))])).subarray(0, 100_000))
    const upload = await begun.promise
    client.leave()
    const { error } = await server.outcome()
    expect(ClientDisconnectedError.isInstance(error)).toBe(true)
    expect(upload.signal.reason).toBe(error)
    await expect(upload.trailingFields).rejects.toBe(error)
  })

  test('after the upload, while it waits for the response, aborts the signal', async () => {
    const received = Promise.withResolvers<IncomingUpload>()
    const { receiver: server, client } = await start({}, async (upload) => {
      await readAll(upload.stream)
      received.resolve(upload)
      await once(upload.signal, 'abort')
      throw upload.signal.reason
    })
    await client.send(post(formBody([wavPart()])))
    const upload = await received.promise
    expect(upload.signal.aborted).toBe(false)
    client.leave()
    expect(ClientDisconnectedError.isInstance((await server.outcome()).error)).toBe(true)
  })

  test('with everything sent but unread aborts the signal too', async () => {
    const begun = Promise.withResolvers<IncomingUpload>()
    const { receiver: server, client } = await start({}, async (upload) => {
      begun.resolve(upload)
      await once(upload.signal, 'abort')
      return readAll(upload.stream)
    })
    await client.send(post(formBody([wavPart(wav(200_000))])))
    await begun.promise
    client.leave()
    expect(ClientDisconnectedError.isInstance((await server.outcome()).error)).toBe(true)
  })
})

describe('the rest of a refused upload', () => {
  const refused = formBody([wavPart(Buffer.alloc(2 * MB, '%PDF-1.7 '))])

  test('is read: a client that sends it all sees the response, and the connection stays open', async () => {
    const { client } = await start()
    await client.send(post(refused))
    expect(await client.answer()).toEqual({ status: 415, body: 'unsupported_content' })
    await client.send(post(formBody([wavPart()])))
    expect(await client.answer()).toEqual({ status: 200, body: 'received' })
    client.leave()
  })

  test('is cut off after a number of bytes', async () => {
    const { client } = await start({ limits: { drain: { maxBytes: 256 * 1024 } } })
    const request = post(Buffer.alloc(0), { 'content-length': String(400 * MB) })
    await client.send(request)
    let sent = 0
    const piece = Buffer.alloc(64 * 1024, 'x')
    client.socket.write(refused.subarray(0, 64 * 1024))
    while (!client.socket.closed && sent < 100 * MB) {
      await Promise.race([client.send(piece), client.closed])
      sent += piece.byteLength
    }
    expect(sent).toBeLessThan(100 * MB)
    await client.closed
  })

  test('is also cut off after a refusal by the headers alone', async () => {
    const { client } = await start({ maxFileSize: 1000, limits: { drain: { maxBytes: 256 * 1024 } } })
    await client.send(post(Buffer.alloc(0), { 'content-length': String(400 * MB) }))
    expect(await client.answer()).toEqual({ status: 413, body: 'file_too_large' })
    let sent = 0
    const piece = Buffer.alloc(64 * 1024, 'x')
    while (!client.socket.closed && sent < 100 * MB) {
      await Promise.race([client.send(piece), client.closed])
      sent += piece.byteLength
    }
    expect(sent).toBeLessThan(100 * MB)
  })

  test('is cut off after some time', async () => {
    const { client } = await start({ limits: { drain: { timeout: 20 } } })
    await client.send(post(refused).subarray(0, 10_000))
    expect(await client.answer()).toEqual({ status: 415, body: 'unsupported_content' })
    await client.closed
  })

  test('a length over the limit is answered before the body is sent', async () => {
    const { client } = await start({ maxFileSize: 1000 })
    await client.send(post(Buffer.alloc(0), { 'content-length': String(400 * MB) }))
    expect(await client.answer()).toEqual({ status: 413, body: 'file_too_large' })
    client.leave()
  })
})

test('an already read body is a 500 with a clear message', async () => {
  const request = new FakeRequest([formBody([wavPart()])])
  await readAll(request)
  await expect(receiveUpload(request, { maxFileSize: MB })).rejects.toMatchObject({
    status: 500,
    code: 'body_already_read',
    expose: false,
  })
})

test('an already closed request fails as disconnected', async () => {
  const request = new FakeRequest(longForm(MB))
  request.destroy()
  await expect(receiveUpload(request, { maxFileSize: MB })).rejects.toBeInstanceOf(ClientDisconnectedError)
})

test('a finished upload removes its listener from a longer-lived signal', async () => {
  const controller = new AbortController()
  let listeners = 0
  const { signal } = controller
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1
    remove(...args)
  }
  const upload = await receiveUpload(new FakeRequest(longForm(MB)), { maxFileSize: 2 * MB, signal })
  expect(listeners).toBe(1)
  await readAll(upload.stream)
  expect(listeners).toBe(0)
})

test('concurrent uploads do not affect each other', async () => {
  const { receiver: server } = await start()
  const sizes = [10, 1000, 70_000, 300_000, 1_000_000]
  const responses = await Promise.all(sizes.map((size) => exchange(server, post(formBody([wavPart(wav(size))])))))
  expect(responses.map(({ status }) => status)).toEqual(sizes.map(() => 200))
  const received = await Promise.all(sizes.map(async () => (await server.outcome()).content?.byteLength))
  expect(received.toSorted((a, b) => Number(a) - Number(b))).toEqual(sizes.map((size) => size + 44))
})
