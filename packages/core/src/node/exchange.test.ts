import { getEventListeners } from 'node:events'
import type { Dispatcher } from 'undici'
import { expect, type Mock, test, vi } from 'vitest'
import { collect, rejection } from '../../test/support/clients.ts'
import { cancellable } from '../transport/request-scope.ts'
import { Exchange, SentBody } from './exchange.ts'

/** A request that undici has begun. */
function begin(sent: unknown = null): {
  exchange: Exchange
  controller: Dispatcher.DispatchController
  /** How undici is told to end the request. */
  abort: Mock
  caller: AbortController
} {
  const caller = new AbortController()
  const exchange = new Exchange({ signal: caller.signal, sent, attempt: {} })
  const abort = vi.fn<() => void>()
  const controller = { aborted: false, paused: false, reason: null, abort, pause: () => {}, resume: () => {} }
  exchange.response.catch(() => {})
  return { exchange, controller, abort, caller }
}

test('a response has its status, its headers and its body', async () => {
  const { exchange, controller } = begin()
  exchange.onRequestStart(controller)
  exchange.onResponseStart(controller, 200, { 'content-type': 'text/plain', 'x-two': ['a', 'b'] })
  exchange.onResponseData(controller, new Uint8Array([1, 2]))
  exchange.onResponseEnd()
  const { status, headers, body } = await exchange.response
  expect({ status, headers }).toEqual({ status: 200, headers: { 'content-type': 'text/plain', 'x-two': 'a, b' } })
  expect(await readAll(body)).toEqual([new Uint8Array([1, 2])])
})

test('an interim response is none', async () => {
  const { exchange, controller } = begin()
  exchange.onResponseStart(controller, 103, {})
  exchange.onResponseStart(controller, 204, {})
  expect(await exchange.response).toMatchObject({ status: 204 })
})

test('an error before the response rejects, and one after it is the body’s', async () => {
  const before = begin()
  before.exchange.onResponseError(undefined, new Error('before'))
  await expect(before.exchange.response).rejects.toThrow('before')
  const after = begin()
  after.exchange.onResponseStart(after.controller, 200, {})
  after.exchange.onResponseError(after.controller, new Error('after'))
  const { body } = await after.exchange.response
  await expect(readAll(body)).rejects.toThrow('after')
})

test('an abort before undici begins rejects at once, and ends the request when it begins', async () => {
  const { exchange, controller, abort, caller } = begin()
  caller.abort('reason')
  await expect(exchange.response).rejects.toBe('reason')
  exchange.onRequestStart(controller)
  expect(abort).toHaveBeenCalledOnce()
})

test.each([0, '', undefined])('an abort with the reason %j ends the request', async (reason) => {
  const { exchange, controller, abort, caller } = begin()
  exchange.onRequestStart(controller)
  caller.abort(reason)
  await expect(exchange.response).rejects.toBe(caller.signal.reason)
  expect(abort).toHaveBeenCalledWith(expect.any(Error))
})

test('an abort while the body comes rejects the read with its reason', async () => {
  const { exchange, controller, abort, caller } = begin()
  exchange.onRequestStart(controller)
  exchange.onResponseStart(controller, 200, {})
  const { body } = await exchange.response
  const read = readAll(body)
  caller.abort('reason')
  await expect(read).rejects.toBe('reason')
  expect(abort).toHaveBeenCalled()
})

test('every end removes the listeners and closes the request’s body', async () => {
  const ends: ((exchange: Exchange, caller: AbortController) => void)[] = [
    (exchange) => exchange.onResponseEnd(),
    (exchange) => exchange.onResponseError(undefined, new Error('cut')),
    (_, caller) => caller.abort(),
  ]
  for (const end of ends) {
    const sent = new SentBody(oneChunk())
    const { exchange, caller } = begin(sent)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    end(exchange, caller)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
    await expect(sent.next()).rejects.toThrow('left before its end')
  }
})

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return chunks
}

/** A body of one chunk. */
async function* oneChunk(): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(1)
}

const CHUNK = Uint8Array.of(1, 2)

/** Two chunks, and whether they were left. */
function source(): { chunks: AsyncGenerator<Uint8Array, void, undefined>; log: string[] } {
  const log: string[] = []
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      log.push('begun')
      yield CHUNK
      yield CHUNK
      log.push('ended')
    } finally {
      log.push('closed')
    }
  }
  return { chunks: chunks(), log }
}

test('gives the very chunks, to the end', async () => {
  const { chunks, log } = source()
  const body = new SentBody(chunks)
  const given: Uint8Array[] = []
  for await (const chunk of body) given.push(chunk)
  expect(given[0]).toBe(CHUNK)
  expect(given).toHaveLength(2)
  body.leave()
  expect(log).toEqual(['begun', 'ended', 'closed'])
})

test('opens the source at the first read, and never if it is closed before', async () => {
  const { chunks, log } = source()
  const body = new SentBody(chunks)
  body.leave()
  expect(await rejection(collect(body))).toMatchObject({ message: 'The body was left before its end' })
  expect(log).toEqual([])
})

test('after a close in the middle, further reads fail: an end would look like the end of the body', async () => {
  const { chunks, log } = source()
  const body = new SentBody(chunks)
  await body.next()
  body.leave()
  expect(await rejection(body.next())).toBeInstanceOf(Error)
  expect(log).toEqual(['begun', 'closed'])
})

test('closed while the source is silent, it fails at once and closes the source', async () => {
  const silence = Promise.withResolvers<void>()
  async function* silent(): AsyncGenerator<Uint8Array, void, undefined> {
    await silence.promise
    yield CHUNK
  }
  const body = new SentBody(cancellable(silent(), () => silence.resolve()))
  const pending = rejection(body.next())
  body.leave()
  expect(await pending).toBeInstanceOf(Error)
})

test('a loop that stops closes the source, and a source without a working close causes no error', async () => {
  const { chunks, log } = source()
  for await (const chunk of new SentBody(chunks)) if (chunk === CHUNK) break
  expect(log).toEqual(['begun', 'closed'])
  const bare = (more: object): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: CHUNK }), ...more }),
  })
  new SentBody(bare({})).leave()
  new SentBody(bare({ return: () => Promise.reject(new Error('no')) })).leave()
  // An error that nobody handles would fail this test run.
  await new Promise((resolve) => setTimeout(resolve, 5))
})

test('an error of the source is passed on', async () => {
  const mine = new Error('torn')
  async function* torn(): AsyncGenerator<Uint8Array, void, undefined> {
    yield CHUNK
    throw mine
  }
  expect(await rejection(collect(new SentBody(torn())))).toBe(mine)
})
