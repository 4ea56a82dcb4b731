import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { readdirSync, readlinkSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ApiError, InvalidRequestError, type UploadSource } from '../src/index.ts'
import { connect, rejection, until } from './support/clients.ts'
import { closedPort, readBody, startRawServer, startServer } from './support/servers.ts'
import { watchedClient } from './support/watched-client.ts'

const PIECE = new Uint8Array(64 * 1024)
const PIECES = 500
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-audio-failures-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

/** A source of 32 MB that tells whether it was opened and closed. */
function watchedSource(): { file: UploadSource; log: { opened: boolean; closed: boolean } } {
  const log = { opened: false, closed: false }
  const file = async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    log.opened = true
    try {
      for (let count = 0; count < PIECES; count += 1) yield PIECE
    } finally {
      log.closed = true
    }
  }
  return { file, log }
}

const create = (url: string, file: UploadSource, signal?: AbortSignal): Promise<unknown> =>
  connect(url).transcriptions.create({ model: 'svc-transcribe-1.0', file }, signal === undefined ? {} : { signal })

/** Reads a little and then nothing more. */
const stall = (request: IncomingMessage): void => void request.once('data', () => request.pause())

/** Whether this process holds a file open (Linux). */
function isOpen(path: string): boolean {
  return readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path
    } catch {
      return false
    }
  })
}

describe('a response that comes before the end of the upload', () => {
  const ERROR = JSON.stringify({ error: { code: 'too_large', message: 'No more than that' } })
  const responses: readonly (readonly [string, (request: IncomingMessage, response: ServerResponse) => void])[] = [
    ['and the connection stays', (_, response) => response.end(ERROR)],
    [
      'and the connection ends',
      (_, response) => {
        response.shouldKeepAlive = false
        response.end(ERROR)
      },
    ],
    ['and the connection is destroyed', (request, response) => response.end(ERROR, () => request.socket.destroy())],
    ['and the connection is reset', (request, response) => response.end(ERROR, () => request.socket.resetAndDestroy())],
  ]

  describe.each([401, 413])('with status %d', (status) => {
    test.each(responses)('reaches the caller, %s', async (_, answer) => {
      const { file, log } = watchedSource()
      const server = await startServer((request, response) => {
        request.once('data', () => {
          request.pause()
          response.statusCode = status
          answer(request, response)
        })
      })
      const error = await rejection(create(server.url, file))
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({ status, code: 'too_large' })
      await until(() => log.closed)
    })
  })

  test('a success is too, and the source is closed', async () => {
    const { file, log } = watchedSource()
    const server = await startServer((request, response) => {
      request.once('data', () => response.end('{"text":"enough"}'))
    })
    await expect(create(server.url, file)).resolves.toEqual({ text: 'enough' })
    await until(() => log.closed)
  })

  test('as raw bytes with a reset behind them, the response is still read', async () => {
    const head = 'HTTP/1.1 413 Too Large\r\ncontent-type: application/json\r\n'
    const send = (socket: Socket): void => {
      socket.pause()
      socket.write(`${head}content-length: ${ERROR.length}\r\n\r\n${ERROR}`, () => socket.resetAndDestroy())
    }
    const server = await startRawServer(send)
    for (let count = 0; count < 20; count += 1) {
      expect(await rejection(create(server.url, watchedSource().file))).toMatchObject({ name: 'ApiError', status: 413 })
    }
  })
})

describe('a connection that fails in mid-upload', () => {
  test('is a ConnectionError, and the source is closed', async () => {
    const { file, log } = watchedSource()
    const server = await startServer((request) => void request.once('data', () => request.socket.destroy()))
    expect(await rejection(create(server.url, file))).toMatchObject({ name: 'ConnectionError' })
    await until(() => log.closed)
  })

  test('before it is established opens no source', async () => {
    const { file, log } = watchedSource()
    expect(await rejection(create(await closedPort(), file))).toMatchObject({ name: 'ConnectionError' })
    expect(log.opened).toBe(false)
  })
})

describe('an abort in mid-upload', () => {
  const REASON = new Error('enough')

  async function abortDuring(file: UploadSource): Promise<unknown> {
    const controller = new AbortController()
    const server = await startServer(stall)
    const failed = rejection(create(server.url, file, controller.signal))
    await until(() => server.requests.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    controller.abort(REASON)
    const error = await failed
    // A server that reads nothing does not notice that its client has gone.
    server.requests[0]?.resume()
    await until(() => server.sockets[0]?.destroyed === true)
    return error
  }

  test('runs the finally of a generator', async () => {
    const { file, log } = watchedSource()
    expect(await abortDuring(file)).toBe(REASON)
    await until(() => log.closed)
  })

  test.runIf(process.platform === 'linux')('closes the file of a path', async () => {
    const path = join(folder, 'large.wav')
    await writeFile(path, Buffer.alloc(PIECES * PIECE.length))
    let wasOpen = false
    const timer = setInterval(() => (wasOpen ||= isOpen(path)), 1)
    expect(await abortDuring(path)).toBe(REASON)
    clearInterval(timer)
    expect(wasOpen).toBe(true)
    await until(() => !isOpen(path))
  })

  test('cancels a web stream', async () => {
    let cancelled = false
    const stream = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(PIECE),
        cancel: () => {
          cancelled = true
        },
      })
    expect(await abortDuring(stream)).toBe(REASON)
    await until(() => cancelled)
  })

  test('ends a silent source, a web stream and a Node stream', async () => {
    let cancelled = false
    const web = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        cancel: () => {
          cancelled = true
        },
      })
    expect(await abortDuring(web)).toBe(REASON)
    await until(() => cancelled)
    const node = new PassThrough()
    node.write(PIECE)
    expect(await abortDuring(() => node)).toBe(REASON)
    await until(() => node.destroyed)
  })

  test('is the total deadline too', async () => {
    const { file, log } = watchedSource()
    const server = await startServer(stall)
    const { client, expire } = watchedClient(server.url)
    const failed = rejection(client.transcriptions.create({ model: 'svc-transcribe-1.0', file }))
    await until(() => log.opened)
    expire()
    expect(await failed).toMatchObject({ name: 'TimeoutError', phase: 'total' })
    await until(() => log.closed)
  })
})

describe('a source that fails in mid-upload', () => {
  /** A server that notes whether a request ever came to its end. */
  async function upload(file: UploadSource): Promise<{ error: unknown; whole: boolean }> {
    let whole = false
    const server = await startServer(async (request, response) => {
      await readBody(request).then(
        () => (whole = true),
        () => false,
      )
      response.end('{"text":""}')
    })
    const error = await rejection(create(server.url, file))
    await until(() => server.sockets.every((socket) => socket.destroyed))
    return { error, whole }
  }

  test('reaches the caller with its message and as the cause, and the upload never looks complete', async () => {
    const mine = new Error('the tape is torn')
    const { error, whole } = await upload(async function* torn() {
      yield PIECE
      throw mine
    })
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code: 'unreadable_file', param: 'file', cause: mine })
    expect((error as Error).message).toContain('the tape is torn')
    expect(whole).toBe(false)
  })

  test('of a web stream, a Node stream and a function that throws', async () => {
    const web = (): ReadableStream<Uint8Array> =>
      new ReadableStream({ pull: (controller) => controller.error(new Error('web failed')) })
    const node = (): PassThrough => {
      const stream = new PassThrough()
      stream.write(PIECE)
      setTimeout(() => stream.destroy(new Error('node failed')), 10)
      return stream
    }
    const thrown = (): never => {
      throw new Error('function failed')
    }
    for (const [source, message] of [
      [web, 'web failed'],
      [node, 'node failed'],
      [thrown, 'function failed'],
    ] as const) {
      const { error, whole } = await upload(source)
      expect(error).toMatchObject({ code: 'unreadable_file', message: `file: could not be read: ${message}` })
      expect(whole).toBe(false)
    }
  })

  test.each([
    ['less', 3],
    ['more', 1],
  ])('by holding %s than was announced', async (how, pieces) => {
    const data = async function* two(): AsyncGenerator<Uint8Array, void, undefined> {
      yield PIECE
      yield PIECE
    }
    const { error, whole } = await upload({ data, size: pieces * PIECE.length })
    expect(error).toMatchObject({ code: 'size_mismatch', param: 'file' })
    expect((error as Error).message).toContain(how)
    expect(whole).toBe(false)
  })

  test('as a file that shrinks while it is sent', async () => {
    const path = join(folder, 'shrinks.wav')
    await writeFile(path, Buffer.alloc(PIECES * PIECE.length))
    const server = await startServer((request) => {
      request.once('data', () => {
        request.pause()
        void truncate(path, 1000).then(() => request.resume())
      })
    })
    const error = await rejection(create(server.url, path))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code: 'size_mismatch', param: 'file' })
  })

  test('after the response has no effect', async () => {
    const answered = Promise.withResolvers<void>()
    const file = async function* late(): AsyncGenerator<Uint8Array, void, undefined> {
      yield PIECE
      await answered.promise
      throw new Error('too late to matter')
    }
    const server = await startServer(
      (request, response) => void request.once('data', () => response.end('{"text":"done"}')),
    )
    await expect(create(server.url, file)).resolves.toEqual({ text: 'done' })
    answered.resolve()
    // An error that nobody handles would fail this test run.
    await new Promise((resolve) => setTimeout(resolve, 50))
  })
})
